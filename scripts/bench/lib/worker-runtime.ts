import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { readMigrations } from '../../lib/migrations.ts'
import { root } from '../../lib/root.ts'
import { bundleWorker } from '../../lib/runtime/bundle.ts'
import { readWorkerConfig } from '../../lib/runtime/worker-config.ts'

/** Signs tokens in benchmarks only. */
export const SECRET = 'a-secret-that-is-only-good-for-this-benchmark'
/** Settings of wrangler.toml that the benchmarks replace. */
type Stores = Partial<Record<'r2Buckets' | 'queueConsumers' | 'ratelimits', unknown>>
export type Database = Awaited<ReturnType<Miniflare['getD1Database']>>

/**
 * Returns our Worker as wrangler.toml configures it, without static assets: Miniflare puts two Workers in front of
 * one that has them, and no benchmark requests a page.
 */
export async function readConfiguredWorker() {
	const { assets: _, ...configured } = await readWorkerConfig(join(root, 'wrangler.toml'))
	const bindings = { ...configured.bindings, ENVIRONMENT: 'development', AUTH_SECRET: SECRET }
	return { ...(configured as typeof configured & Stores), bindings }
}

/** Returns the modules of our Worker as deployed. */
export async function bundleDeployedModules() {
	const modulesRoot = await bundleWorker()
	return { modules: [{ type: 'ESModule' as const, path: join(modulesRoot, 'worker.js') }], modulesRoot }
}

/** Bundles a Worker that belongs to a benchmark. */
export async function bundleModules(entry: string, options: BuildOptions = {}) {
	const bundle = { bundle: true, write: false, format: 'esm', target: 'es2024' } as const
	const { outputFiles } = await build({ ...options, ...bundle, entryPoints: [entry] })
	const contents = outputFiles[0]?.text ?? ''
	return { modules: [{ type: 'ESModule' as const, path: join(root, 'own.js'), contents }], modulesRoot: root }
}

/**
 * Starts Workers in one workerd with a temporary data directory. Each gets a port that bypasses Miniflare's entry
 * Worker. Returns the result of `prepare` with a disposer that stops workerd and deletes the directory.
 */
export async function openWorkerRuntime<T extends object>(
	workers: readonly { name: string }[],
	prepare: (runtime: WorkerRuntime) => Promise<T>,
	/** `inspectorPort: 0` starts an inspector, which slows the Workers down. */
	options: { inspectorPort?: number } = {},
): Promise<T & AsyncDisposable> {
	const runtime = await startRuntime(workers, options)
	try {
		return { ...(await prepare(runtime)), [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose]() }
	} catch (error) {
		await runtime[Symbol.asyncDispose]()
		throw error
	}
}

type WorkerRuntime = Awaited<ReturnType<typeof startRuntime>>

async function startRuntime(workers: readonly { name: string }[], options: { inspectorPort?: number }) {
	const directory = await mkdtemp(join(tmpdir(), 'playhouse-bench-'))
	const directSocket = { unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }] }
	const miniflare = new Miniflare({
		...convertV4MiniflareOptions({
			...options,
			host: '127.0.0.1',
			port: 0,
			cf: false,
			log: new Log(LogLevel.ERROR),
			// workerd still writes each log line and this process reads it, as in every installation; it need not be
			// printed.
			handleStructuredLogs: () => {},
			workers: workers.map((worker) => ({ ...worker, ...directSocket })) as never,
		}),
		resourcePersistencePath: directory,
	})
	return {
		directory,
		readUrl: async (name: string): Promise<string> => (await miniflare.unsafeGetDirectURL(name)).origin,
		readInspectorUrl: async (name: string): Promise<URL> =>
			new URL(`/core:user:${name}`, `${await miniflare.getInspectorURL()}`),
		/** Applies all migrations first. */
		async openDatabase(name: string): Promise<Database> {
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
