import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { readMigrations } from '../migrations.ts'
import { bundleWorker } from '../start/bundle.ts'
import { root } from '../start/settings.ts'
import { readConfig } from '../start/workers.ts'

/** Signs tokens here and nowhere else. */
export const SECRET = 'a-secret-that-is-only-good-for-this-benchmark'
/** What else of wrangler.toml is put together anew here. */
type Stores = Partial<Record<'r2Buckets' | 'queueConsumers' | 'ratelimits', unknown>>
export type Database = Awaited<ReturnType<Miniflare['getD1Database']>>

/** Ours as wrangler.toml has it, but for what is never measured: Miniflare puts two Workers before one with pages. */
export function configuredWorker() {
	const { assets: _, ...configured } = readConfig(join(root, 'wrangler.toml'))
	const bindings = { ...configured.bindings, ENVIRONMENT: 'development', AUTH_SECRET: SECRET }
	return { ...(configured as typeof configured & Stores), bindings }
}

/** Its code as it is deployed. */
export async function deployedModules() {
	const modulesRoot = await bundleWorker()
	return { modules: [{ type: 'ESModule' as const, path: join(modulesRoot, 'worker.js') }], modulesRoot }
}

/** A Worker of a benchmark's own. */
export async function ownModules(entry: string, options: BuildOptions = {}) {
	const bundle = { bundle: true, write: false, format: 'esm', target: 'es2024' } as const
	const { outputFiles } = await build({ ...options, ...bundle, entryPoints: [entry] })
	const contents = outputFiles[0]?.text ?? ''
	return { modules: [{ type: 'ESModule' as const, path: join(root, 'own.js'), contents }], modulesRoot: root }
}

/**
 * Workers in one workerd, in a folder that goes with them; each has a port that does not pass Miniflare's own entry. What
 * `prepare` makes of them is handed out, and closes them.
 */
export async function openWorkerRuntime<T extends object>(
	workers: readonly { name: string }[],
	prepare: (runtime: WorkerRuntime) => Promise<T>,
): Promise<T & AsyncDisposable> {
	const runtime = await startRuntime(workers)
	try {
		return { ...(await prepare(runtime)), [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose]() }
	} catch (error) {
		await runtime[Symbol.asyncDispose]()
		throw error
	}
}

type WorkerRuntime = Awaited<ReturnType<typeof startRuntime>>

async function startRuntime(workers: readonly { name: string }[]) {
	const directory = await mkdtemp(join(tmpdir(), 'playhouse-bench-'))
	const door = { unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }] }
	const miniflare = new Miniflare({
		...convertV4MiniflareOptions({
			host: '127.0.0.1',
			port: 0,
			cf: false,
			log: new Log(LogLevel.ERROR),
			// Each line is written by workerd and read here, as in every installation; it need not be shown.
			handleStructuredLogs: () => {},
			workers: workers.map((worker) => ({ ...worker, ...door })) as never,
		}),
		resourcePersistencePath: directory,
	})
	return {
		directory,
		urlOf: async (name: string): Promise<string> => (await miniflare.unsafeGetDirectURL(name)).origin,
		/** With all tables. */
		async databaseOf(name: string): Promise<Database> {
			const database = await miniflare.getD1Database('DB', name)
			const statements = (await readMigrations()).flatMap((migration) => migration.statements)
			await database.batch(statements.map((statement) => database.prepare(statement)))
			return database
		},
		async [Symbol.asyncDispose]() {
			await miniflare.dispose()
			await rm(directory, { recursive: true, force: true })
		},
	}
}
