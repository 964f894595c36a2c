import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { readMigrations } from '../../migrations.ts'
import { bundleWorker } from '../../start/bundle.ts'
import { root } from '../../start/settings.ts'

const SECRET = 'a-secret-that-is-only-good-for-this-benchmark'
const SIZES = ['small', 'large'] as const
export type SizeName = (typeof SIZES)[number]
type Database = Awaited<ReturnType<Miniflare['getD1Database']>>
export type Side = { url: string; database: Database }

/** What is read of wrangler.toml here; the rest is handed on to Miniflare as it is. */
type Configured = {
	bindings: Record<string, string>
	assets?: unknown
	ratelimits?: unknown
	queueConsumers?: unknown
	cronTriggers?: unknown
}

/**
 * The Worker as it is deployed on two databases, and on the larger one a second time, with a note of its statements.
 * Nothing else goes on while an answer is measured: no queue works behind it, and no limit cuts it short.
 */
export async function startCommunityWorkers() {
	const directory = await mkdtemp(join(tmpdir(), 'playhouse-bench-'))
	const configured = unstable_getMiniflareWorkerOptions(join(root, 'wrangler.toml'))
	const {
		assets: _assets,
		ratelimits: _limits,
		queueConsumers: _consumers,
		cronTriggers: _crons,
		...workerOptions
	} = configured.workerOptions as Configured
	const bundle = await bundleWorker()
	const deployed = {
		modules: [{ type: 'ESModule' as const, path: join(bundle, 'worker.js') }],
		modulesRoot: bundle,
	}
	const watched = {
		modules: [{ type: 'ESModule' as const, path: join(root, 'watched.js'), contents: await bundleWatched() }],
		modulesRoot: root,
	}
	const workerOf = (name: string, size: SizeName, modules: object) => ({
		...workerOptions,
		...modules,
		name,
		unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
		bindings: { ...workerOptions.bindings, ENVIRONMENT: 'development', AUTH_SECRET: SECRET },
		d1Databases: { DB: { id: size } },
	})
	const miniflare = new Miniflare({
		...convertV4MiniflareOptions({
			host: '127.0.0.1',
			port: 0,
			cf: false,
			log: new Log(LogLevel.ERROR),
			handleStructuredLogs: () => {},
			workers: [
				...SIZES.map((size) => workerOf(size, size, deployed)),
				workerOf('watched', 'large', watched),
			] as never,
		}),
		resourcePersistencePath: directory,
	})
	const stop = async () => {
		await miniflare.dispose()
		await rm(directory, { recursive: true, force: true })
	}
	try {
		await miniflare.ready
		const statements = (await readMigrations()).flatMap((migration) => migration.statements)
		const openSide = async (name: string): Promise<Side> => ({
			url: (await miniflare.unsafeGetDirectURL(name)).origin,
			database: await miniflare.getD1Database('DB', name),
		})
		const sides = { small: await openSide('small'), large: await openSide('large') }
		for (const { database } of Object.values(sides))
			await database.batch(statements.map((statement) => database.prepare(statement)))
		return { ...sides, watched: await openSide('watched'), stop }
	} catch (error) {
		await stop()
		throw error
	}
}

async function bundleWatched(): Promise<string> {
	const { outputFiles } = await build({
		entryPoints: [join(import.meta.dirname, 'watched-worker.ts')],
		bundle: true,
		write: false,
		format: 'esm',
		target: 'es2024',
		conditions: ['workerd', 'worker', 'browser'],
		external: ['cloudflare:*', 'node:*'],
		// Some packages ask for Node's modules by their old names.
		plugins: [
			{
				name: 'node',
				setup({ onResolve }) {
					onResolve(
						{
							filter:
								/^(crypto|events|stream|util|buffer|net|tls|dns|os|path|fs|http|https|url|zlib|child_process|querystring|punycode)$/,
						},
						({ path }) => ({
							path: `node:${path}`,
							external: true,
						}),
					)
				},
			},
		],
	})
	return outputFiles[0]?.text ?? ''
}
