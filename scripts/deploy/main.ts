import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { readSecretFiles } from '../../transcoder-daemon/secret-files.ts'
import { parseOptions } from '../lib/command-options.ts'
import { root } from '../lib/root.ts'
import { type Config, PLACEHOLDER_ID, readConfig, writeConfig } from './config.ts'
import {
	type DeployVariables,
	emptyRemote,
	isWorkersBuild,
	OperatorError,
	planDeployment,
	secretNames,
	settingNames,
} from './plan.ts'
import { listRemovalCommands } from './preview.ts'
import { computeIdlePrice, countRunsPerMonth, printPrice } from './price.ts'
import { readRemote, requireOneAccount } from './remote.ts'
import { type Deployment, findConfigFile, findSecretsFile, takeStep } from './take-step.ts'
import { findWrangler, WranglerError } from './wrangler.ts'

/** Joins names in lines for a terminal. */
const listed = (names: readonly string[]): string =>
	names
		.join(', ')
		.replaceAll(/(.{1,110}(?:,|$)) ?/g, '$1\n')
		.trimEnd()

const help = `Deploys Playhouse to Cloudflare, or updates an existing deployment. Safe to run repeatedly.

  npm run deploy [-- options]

  --dry-run      print the steps of a first deployment and its price while idle, and build the Worker, without sending
                 anything
  --preview NAME deploy a separate installation: every resource has NAME behind its own name. It gets none of the
                 variables below, because they belong to the real installation.
  --no-backup    apply migrations without a backup before them
  --into FOLDER  folder for files of this account: its configuration and the generated secrets
                 (default .playhouse/deploy; use another one for a second installation)
  --help         show this help

Requires a login (npx wrangler login) or CLOUDFLARE_API_TOKEN; with several accounts also CLOUDFLARE_ACCOUNT_ID.
Creates missing resources of wrangler.toml: the D1 database, two R2 buckets and the queues. If wrangler.toml has the id of a
database, as "Deploy to Cloudflare" writes it, that database is used.

These variables are stored as secrets if set:
${listed(secretNames)}
AUTH_SECRET and FLEET_TOKEN are generated if the Worker has none, and saved in .playhouse/deploy/secrets.env. To replace
AUTH_SECRET, see npm run operate -- reseal --help.

These are stored as plain variables if set:
${listed(settingNames)}
A variable that is not set keeps its deployed value. Secrets can be in files: SMTP_URL_FILE holds a path.
`

const print = (line: string) => console.log(line)

type Order = {
	config: Config
	variables: DeployVariables
	preview: string | undefined
	withBackup: boolean
}

async function deploy({ config, variables, preview, withBackup }: Order, directory: string): Promise<void> {
	// Short values, such as a region, would redact ordinary words.
	const secrets = new Set(
		secretNames.map((name) => variables[name] ?? '').filter((value) => value.length >= 12),
	)
	const wrangler = findWrangler(root, () => secrets)
	await requireOneAccount(wrangler, Boolean(process.env.CLOUDFLARE_ACCOUNT_ID ?? config.raw.account_id))
	print('Reading the current deployment …')
	const remote = await readRemote(wrangler, config.installation)
	const steps = planDeployment(config.installation, remote, variables, { withBackup })
	const deployment: Deployment = {
		config,
		wrangler,
		variables,
		directory,
		databaseId: remote.databaseId,
		secrets,
		targets: [],
	}
	for (const [at, step] of steps.entries()) {
		print(`[${at + 1}/${steps.length}] ${step.title}`)
		await takeStep(step, deployment)
	}
	printNextSteps(
		deployment,
		steps.some((step) => step.kind === 'set-secrets' && step.generated.length > 0),
	)
	if (preview !== undefined) {
		print('\nRemove this preview with:')
		for (const command of listRemovalCommands(config.installation)) print(`  ${command}`)
	}
}

function printNextSteps({ targets, directory, variables }: Deployment, hasNewSecrets: boolean): void {
	const [address = '(no URL: set `routes` or `workers_dev = true` in wrangler.toml)'] = targets
	print(`\nPlayhouse is deployed: ${address}`)
	print('\nNext:')
	if (isWorkersBuild(variables))
		print('  - Set FLEET_TOKEN for transcoding machines: npx wrangler secret put FLEET_TOKEN')
	else if (hasNewSecrets)
		print(
			`  - Back up ${relative(root, findSecretsFile(directory))}: Cloudflare does not show these values again.`,
		)
	print(`  - Check that it is ready: ${address}/health/ready`)
	print('  - Sign up: the first account becomes the superadmin.')
	print(
		`  - Start a transcoding machine: PLAYHOUSE_EDGE_URL=${address} PLAYHOUSE_FLEET_TOKEN=… node transcoder-daemon/main.ts`,
	)
	if (!variables.SMTP_URL && !variables.MAIL_API_URL)
		print(
			'  - To send mails (codes, invitations), deploy again with SMTP_URL, or with MAIL_API_URL and MAIL_API_KEY.',
		)
}

async function dryRun({ config, variables }: Order): Promise<void> {
	const remote = { ...emptyRemote, databaseId: config.installation.databaseId }
	const steps = planDeployment(config.installation, remote, variables)
	print('Steps of a first deployment:')
	for (const [at, step] of steps.entries()) print(`  ${at + 1}. ${step.title}`)
	print('\nPrice of a month in which nobody uses it:')
	for (const line of printPrice(computeIdlePrice(countRunsPerMonth(config.raw.triggers?.crons ?? []))))
		print(`  ${line}`)
	await mkdir(join(root, '.playhouse'), { recursive: true })
	const directory = await mkdtemp(join(root, '.playhouse', 'dry-run-'))
	const outdir = await mkdtemp(join(tmpdir(), 'playhouse-dry-run-'))
	try {
		const file = findConfigFile(directory)
		await writeConfig(config, file, config.installation.databaseId ?? PLACEHOLDER_ID, variables)
		print('\nBuilding the Worker without sending it …')
		await findWrangler(root, () => []).run(['deploy', '--dry-run', '--outdir', outdir, '--config', file])
		print('The build succeeded. Nothing was sent.')
	} finally {
		await rm(outdir, { recursive: true, force: true })
		await rm(directory, { recursive: true, force: true })
	}
}

function variablesOf(preview: string | undefined): DeployVariables {
	// Its URL, database, buckets and keys are those of the real installation.
	if (preview !== undefined) return {}
	const { env, problems } = readSecretFiles(process.env, secretNames)
	if (problems.length > 0) throw new OperatorError(problems.join('\n'))
	return env
}

async function main(): Promise<void> {
	const { values } = parseOptions({
		options: {
			'dry-run': { type: 'boolean' },
			'no-backup': { type: 'boolean' },
			into: { type: 'string' },
			preview: { type: 'string' },
			help: { type: 'boolean', short: 'h' },
		},
	})
	if (values.help) return print(help)
	try {
		const { preview } = values
		const order = {
			config: readConfig(root, preview),
			variables: variablesOf(preview),
			preview,
			withBackup: !values['no-backup'],
		}
		const folder = preview === undefined ? 'deploy' : `deploy-${preview}`
		const directory = resolve(values.into ?? join(root, '.playhouse', folder))
		await (values['dry-run'] ? dryRun(order) : deploy(order, directory))
	} catch (error) {
		process.exitCode = 1
		if (error instanceof OperatorError) return console.error(`\n${error.message}`)
		console.error(`\nThe deployment failed: ${(error as Error).message}`)
		if (error instanceof WranglerError) console.error(error.output.replace(/^/gm, '  | '))
		console.error('Completed steps are kept. Fix the problem and run the command again.')
	}
}

if (import.meta.main) await main()
