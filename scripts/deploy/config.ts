import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { experimental_readRawConfig, type Unstable_RawConfig } from 'wrangler'
import { type DeployVariables, type Installation, OperatorError, settingNames } from './plan.ts'
import { derivePreviewConfig } from './preview.ts'

export type Config = { root: string; raw: Unstable_RawConfig; installation: Installation }

export function readConfig(root: string, preview?: string): Config {
	const { rawConfig } = experimental_readRawConfig({ config: join(root, 'wrangler.toml') })
	const raw = preview === undefined ? rawConfig : derivePreviewConfig(rawConfig, preview)
	return { root, raw, installation: toInstallation(raw) }
}

/** The id in the repository's wrangler.toml. "Deploy to Cloudflare" writes the id of the database that it creates. */
export const PLACEHOLDER_ID = '00000000-0000-0000-0000-000000000000'

export function toInstallation(raw: Unstable_RawConfig): Installation {
	const bucketOf = (binding: string) =>
		raw.r2_buckets?.find((bucket) => bucket.binding === binding)?.bucket_name
	const consumers = raw.queues?.consumers ?? []
	const queues = [
		...(raw.queues?.producers ?? []).map(({ queue }) => named(queue, 'queue of each producer')),
		...consumers.flatMap(({ queue, dead_letter_queue }) => [
			queue,
			...(dead_letter_queue ? [dead_letter_queue] : []),
		]),
	]
	const database = databaseOf(raw)
	const isIdGiven = database?.database_id !== undefined && database.database_id !== PLACEHOLDER_ID
	return {
		worker: named(raw.name, 'name'),
		database: named(database?.database_name, 'database_name of the binding DB'),
		databaseId: isIdGiven ? database.database_id : undefined,
		buckets: {
			vault: named(bucketOf('VAULT'), 'bucket_name of the binding VAULT'),
			media: named(bucketOf('MEDIA'), 'bucket_name of the binding MEDIA'),
		},
		queues: [...new Set(queues)],
	}
}

const databaseOf = (raw: Unstable_RawConfig) => raw.d1_databases?.find(({ binding }) => binding === 'DB')

function named(value: string | undefined, setting: string): string {
	if (!value) throw new OperatorError(`wrangler.toml has no ${setting}; add it.`)
	return value
}

/** Writes the configuration for one account. Its ids don't belong in git, so wrangler gets a copy of wrangler.toml. */
export async function writeConfig(
	config: Config,
	file: string,
	databaseId: string,
	variables: DeployVariables,
): Promise<void> {
	await mkdir(dirname(file), { recursive: true })
	await writeFile(
		file,
		`${JSON.stringify(writeDeployedConfig(config, file, databaseId, variables), null, '\t')}\n`,
	)
}

export function writeDeployedConfig(
	{ root, raw }: Config,
	file: string,
	databaseId: string,
	variables: DeployVariables,
): Unstable_RawConfig {
	const from = (path: string) => (isAbsolute(path) ? path : relative(dirname(file), join(root, path)))
	const settings = Object.fromEntries(
		settingNames.flatMap((name) => (variables[name] ? [[name, variables[name]]] : [])),
	)
	return {
		...raw,
		...(raw.main && { main: from(raw.main) }),
		...(raw.assets?.directory && { assets: { ...raw.assets, directory: from(raw.assets.directory) } }),
		vars: { ...raw.vars, ...settings },
		d1_databases: (raw.d1_databases ?? []).map((database) =>
			database.binding === 'DB'
				? {
						...database,
						database_id: databaseId,
						...(database.migrations_dir && { migrations_dir: from(database.migrations_dir) }),
					}
				: database,
		),
	}
}
