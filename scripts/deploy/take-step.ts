import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { readMigrations } from '../lib/migrations.ts'
import type { Query } from '../lib/pending-migrations.ts'
import { connect, migrateLibsql } from '../migrate/main.ts'
import { backUpBeforeMigrations } from './back-up.ts'
import { type Config, writeConfig } from './config.ts'
import { type DeployVariables, OperatorError, type Step } from './plan.ts'
import { findDatabase } from './remote.ts'
import { chooseSecrets } from './secrets.ts'
import { type Wrangler, WranglerError } from './wrangler.ts'

export type Deployment = {
	config: Config
	wrangler: Wrangler
	variables: DeployVariables
	/** Folder outside git for the configuration of this account, CORS rules and generated secrets. */
	directory: string
	databaseId: string | undefined
	/** Values that wrangler's output must not show. */
	secrets: Set<string>
	/** URLs of the deployed Worker. */
	targets: string[]
}

export const findConfigFile = (directory: string) => join(directory, 'wrangler.json')
export const findSecretsFile = (directory: string) => join(directory, 'secrets.env')

export async function takeStep(step: Step, deployment: Deployment): Promise<void> {
	const { wrangler, config, directory, variables } = deployment
	const withConfig = ['--config', findConfigFile(directory)]
	switch (step.kind) {
		case 'wrangler':
			await wrangler.run(step.args).catch((error: unknown) => {
				if (!(error instanceof WranglerError) || !step.harmless?.test(error.output)) throw error
			})
			return
		case 'create-database':
			await wrangler.run(['d1', 'create', step.name])
			deployment.databaseId = await findDatabase(wrangler, step.name)
			return
		case 'write-config':
			if (!deployment.databaseId)
				throw new OperatorError(
					`Cloudflare does not list the D1 database ${config.installation.database} yet; run the command again in a minute.`,
				)
			await writeConfig(config, findConfigFile(directory), deployment.databaseId, variables)
			return
		case 'set-cors': {
			const file = join(directory, `cors-${step.bucket}.json`)
			await mkdir(directory, { recursive: true })
			await writeFile(file, JSON.stringify({ rules: step.rules }, null, '\t'))
			await wrangler.run(['r2', 'bucket', 'cors', 'set', step.bucket, '--file', file, '--force'])
			return
		}
		case 'back-up':
			await backUp(deployment, withConfig)
			return
		case 'migrate-d1':
			// By its binding, as the name may differ.
			await wrangler.run(['d1', 'migrations', 'apply', 'DB', '--remote', ...withConfig])
			return
		case 'migrate-libsql':
			await migrateLibsql({ url: variables.LIBSQL_URL ?? '', authToken: variables.LIBSQL_AUTH_TOKEN })
			return
		case 'set-secrets': {
			const values = await chooseSecrets(findSecretsFile(directory), step.generated, step.passedOn, variables)
			for (const value of Object.values(values)) deployment.secrets.add(value)
			await wrangler.run(['secret', 'bulk', ...withConfig], { input: JSON.stringify(values) })
			return
		}
		case 'deploy':
			deployment.targets = await deploy(wrangler, directory, withConfig)
			return
	}
}

async function backUp({ wrangler, variables }: Deployment, withConfig: string[]): Promise<void> {
	const migrations = (await readMigrations()).map(({ name }) => name)
	const backUpWith = (query: Query) =>
		backUpBeforeMigrations({
			query,
			migrations,
			print: (line) => console.log(line),
			wait: (ms) => setTimeout(ms),
			now: Date.now,
		})
	const { LIBSQL_URL: url, LIBSQL_AUTH_TOKEN: authToken } = variables
	if (!url)
		return backUpWith(async (sql) => {
			const command = ['d1', 'execute', 'DB', '--remote', '--yes', '--json', '--command', sql]
			const [result]: { results: Record<string, unknown>[] }[] = JSON.parse(
				await wrangler.run([...command, ...withConfig]),
			)
			return result?.results ?? []
		})
	const client = connect({ url, authToken })
	try {
		await backUpWith(async (sql) => (await client.execute(sql)).rows)
	} finally {
		client.close()
	}
}

/** Deploys and returns the URLs. Wrangler writes a machine-readable report, one JSON object a line. */
async function deploy(wrangler: Wrangler, directory: string, withConfig: string[]): Promise<string[]> {
	const report = join(directory, 'report.ndjson')
	await rm(report, { force: true })
	// Keep variables that an operator or an earlier deployment has set.
	await wrangler.run(['deploy', '--keep-vars', ...withConfig], { env: { WRANGLER_OUTPUT_FILE_PATH: report } })
	const lines = (await readFile(report, 'utf8')).split('\n').filter(Boolean)
	const entries = lines.map((line): { type: string; targets?: string[] } => JSON.parse(line))
	return addressesIn(entries.find(({ type }) => type === 'deploy')?.targets ?? [])
}

/** Wrangler also lists targets such as `schedule: …` and `Producer for …`; keep URLs and custom domains only. */
const addressesIn = (targets: string[]): string[] =>
	targets.flatMap((target) => {
		const host = /^(?:https:\/\/)?([a-z0-9-]+(?:\.[a-z0-9-]+)+)/i.exec(target)?.[1]
		return host ? [`https://${host}`] : []
	})
