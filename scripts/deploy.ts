import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readConfig, writeConfig } from './deploy/config.ts'
import { nothingYet, OperatorError, planDeployment, secretNames } from './deploy/plan.ts'
import { lookAround, refuseStrangers } from './deploy/remote.ts'
import { configFile, type Deployment, secretsFile, takeStep } from './deploy/take-step.ts'
import { findWrangler, WranglerError } from './deploy/wrangler.ts'

const help = `Puts Playhouse on Cloudflare, or brings what is there up to date. Run it as often as you like.

  npm run deploy [-- options]

  --dry-run      say each step of a first deployment and build the Worker; nothing is asked or sent
  --into FOLDER  where what belongs to this account is kept: the configuration with its ids, and the secrets that were
                 made. By default .playhouse/deploy; give another for a second installation.
  --help         this text

Needs a login (npx wrangler login) or CLOUDFLARE_API_TOKEN, and CLOUDFLARE_ACCOUNT_ID where there are several
accounts. Creates what wrangler.toml names and is missing: the D1 database, two R2 buckets and the queues.

Passed on as secrets where they are set: AUTH_SECRET, FLEET_TOKEN, AUTH_SECRET_PREVIOUS, SMTP_URL, MAIL_API_URL,
MAIL_API_KEY, S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, S3_REGION, LIBSQL_URL, LIBSQL_AUTH_TOKEN. The first
two are made where the Worker has none, and kept in .playhouse/deploy/secrets.env. To replace AUTH_SECRET, see
node scripts/reseal.ts --help.

Passed on as variables: PUBLIC_URL, FRONTEND_URL, CORS_ORIGINS, SECURITY_CONTACT, ALLOW_HTTP_URLS, REGISTRATION_ENABLED,
REGISTRATION_ALLOWED_DOMAINS, DEFAULT_TIER, ORGS_PER_PERSON, INVITATIONS_PER_DAY, COMMUNITY_BASE_DOMAIN,
DEFAULT_COMMUNITY, DNS_RESOLVER_URL, MAIL_FROM, ACCOUNT_DELETION_NOTICES, ERASURE_LEDGER_DAYS. What is not set stays as
it was.
`

const root = join(import.meta.dirname, '..')
const say = (line: string) => console.log(line)

async function deployForReal(directory: string): Promise<void> {
	const config = readConfig(root)
	const given = process.env
	// Short values are names such as a region, and would blot out ordinary words.
	const secrets = new Set(secretNames.map((name) => given[name] ?? '').filter((value) => value.length >= 12))
	const wrangler = findWrangler(root, () => secrets)
	await refuseStrangers(wrangler, Boolean(given.CLOUDFLARE_ACCOUNT_ID ?? config.raw.account_id))
	say('Looking at what is there …')
	const remote = await lookAround(wrangler, config.installation)
	const steps = planDeployment(config.installation, remote, given)
	const deployment: Deployment = {
		config,
		wrangler,
		given,
		directory,
		databaseId: remote.databaseId,
		secrets,
		targets: [],
	}
	for (const [at, step] of steps.entries()) {
		say(`[${at + 1}/${steps.length}] ${step.title}`)
		await takeStep(step, deployment)
	}
	sayWhatIsNext(
		deployment,
		steps.some((step) => step.kind === 'set-secrets' && step.made.length > 0),
	)
}

function sayWhatIsNext({ targets, directory }: Deployment, madeSecrets: boolean): void {
	const [address = '(wrangler named no address: set `routes` in wrangler.toml, or `workers_dev = true`)'] =
		targets
	say(`\nPlayhouse is deployed: ${address}`)
	say('\nNext:')
	if (madeSecrets)
		say(
			`  - Keep a copy of ${relative(root, secretsFile(directory))}: its values cannot be read back from Cloudflare.`,
		)
	say(`  - See that it answers: ${address}/health/ready`)
	say('  - Sign up: the first account becomes the superadmin.')
	say(
		`  - Start a transcoding machine: PLAYHOUSE_EDGE_URL=${address} PLAYHOUSE_FLEET_TOKEN=… node transcoder-daemon/main.ts`,
	)
	if (!process.env.SMTP_URL && !process.env.MAIL_API_URL)
		say('  - For mails (codes, invitations) deploy again with SMTP_URL, or MAIL_API_URL and MAIL_API_KEY.')
}

async function rehearse(): Promise<void> {
	const config = readConfig(root)
	const steps = planDeployment(config.installation, nothingYet, process.env)
	say('A first deployment would:')
	for (const [at, step] of steps.entries()) say(`  ${at + 1}. ${step.title}`)
	await mkdir(join(root, '.playhouse'), { recursive: true })
	const directory = await mkdtemp(join(root, '.playhouse', 'dry-run-'))
	const outdir = await mkdtemp(join(tmpdir(), 'playhouse-dry-run-'))
	try {
		const file = configFile(directory)
		await writeConfig(config, file, '00000000-0000-0000-0000-000000000000', process.env)
		say('\nBuilding the Worker without sending it …')
		await findWrangler(root, () => []).run(['deploy', '--dry-run', '--outdir', outdir, '--config', file])
		say('It builds. Nothing was sent.')
	} finally {
		await rm(outdir, { recursive: true, force: true })
		await rm(directory, { recursive: true, force: true })
	}
}

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			'dry-run': { type: 'boolean' },
			into: { type: 'string', default: join(root, '.playhouse', 'deploy') },
			help: { type: 'boolean', short: 'h' },
		},
	})
	if (values.help) return say(help)
	try {
		await (values['dry-run'] ? rehearse() : deployForReal(resolve(values.into)))
	} catch (error) {
		process.exitCode = 1
		if (error instanceof OperatorError) return console.error(`\n${error.message}`)
		console.error(`\nThe deployment stopped: ${(error as Error).message}`)
		if (error instanceof WranglerError) console.error(error.output.replace(/^/gm, '  | '))
		console.error('What was done so far stays; run it again when this is mended.')
	}
}

if (import.meta.main) await main()
