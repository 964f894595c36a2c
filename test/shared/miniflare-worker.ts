import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { readMigrations } from '../../scripts/migrations.ts'
import { testVariables } from './variables.ts'

const root = join(import.meta.dirname, '..', '..')

/** The same in every run, so that a test can derive what the Worker derives. */
export const secretVars = { AUTH_SECRET: testVariables.AUTH_SECRET, FLEET_TOKEN: testVariables.FLEET_TOKEN }

export type StartOptions = {
	/** Laid over wrangler.toml's and `testVariables`; `undefined` takes one away. */
	vars?: Record<string, string | undefined>
	/** Where databases and buckets live. By default a fresh folder that `dispose` removes. */
	persistTo?: string
	entry?: string
	/** Bindings that are answered here. */
	services?: Record<string, (request: Request) => Promise<Response>>
}

export type RunningWorker = {
	url: string
	/** For what only the inside shows: bindings, the scheduled and queue handlers. */
	miniflare: Miniflare
	/** Lines the Worker printed so far. */
	logs: string[]
	dispose(): Promise<void>
	[Symbol.asyncDispose](): Promise<void>
}

/** The Worker as wrangler.toml describes it, in a workerd of its own on a free loopback port. */
export async function startWorker(options: StartOptions = {}): Promise<RunningWorker> {
	const { workerOptions } = unstable_getMiniflareWorkerOptions(join(root, 'wrangler.toml'))
	const script = await bundle(options.entry ?? join(root, 'edge', 'worker.ts'))
	const persistTo = options.persistTo ?? (await mkdtemp(join(tmpdir(), 'playhouse-worker-')))
	const logs: string[] = []
	const vars = { ...(workerOptions.bindings as Record<string, string>), ...testVariables, ...options.vars }
	const bindings = Object.fromEntries(Object.entries(vars).filter((entry) => entry[1] !== undefined))
	const miniflare = new Miniflare({
		...convertV4MiniflareOptions({
			...workerOptions,
			queueConsumers: deliverAtOnce(workerOptions.queueConsumers as Record<string, object>),
			bindings: bindings as Record<string, string>,
			...(options.services && { serviceBindings: options.services as Record<string, never> }),
			modules: [{ type: 'ESModule', path: join(root, 'worker.js'), contents: script }],
		}),
		host: '127.0.0.1',
		port: 0,
		resourcePersistencePath: persistTo,
		log: new Log(LogLevel.ERROR),
		handleStructuredLogs: ({ message }) => logs.push(message),
		// GET /cdn-cgi/local/scheduled?cron=…&format=json then runs the scheduled handler.
		unsafeTriggerHandlers: true,
	})

	const dispose = async () => {
		await miniflare.dispose()
		if (!options.persistTo) await rm(persistTo, { recursive: true, force: true })
	}
	try {
		const url = (await miniflare.ready).origin
		await migrate(miniflare)
		return { url, miniflare, logs, dispose, [Symbol.asyncDispose]: dispose }
	} catch (error) {
		await dispose()
		throw error
	}
}

/** In production a queue collects messages for a second or more before it hands them over. */
const deliverAtOnce = (consumers: Record<string, object>) =>
	Object.fromEntries(
		Object.entries(consumers).map(([queue, options]) => [queue, { ...options, maxBatchTimeout: 0 }]),
	)

const bundles = new Map<string, Promise<string>>()

function bundle(entry: string): Promise<string> {
	const bundled = bundles.get(entry) ?? bundleOncePerRun(entry)
	bundles.set(entry, bundled)
	return bundled
}

/** Sources don't change during `npm test`, and two dozen processes start a Worker in it. */
async function bundleOncePerRun(entry: string): Promise<string> {
	const { TEST_RUN_DIRECTORY } = process.env
	if (!TEST_RUN_DIRECTORY) return bundleNow(entry)
	const shared = join(TEST_RUN_DIRECTORY, `${relative(root, entry).replaceAll('/', '-')}.js`)
	if (existsSync(shared)) return readFile(shared, 'utf8')
	const script = await bundleNow(entry)
	// Others may look at any time, so the file appears whole or not at all.
	const partial = `${shared}.${randomUUID()}`
	await writeFile(partial, script)
	await rename(partial, shared)
	return script
}

async function bundleNow(entry: string): Promise<string> {
	const { outputFiles } = await build({
		entryPoints: [entry],
		bundle: true,
		write: false,
		format: 'esm',
		target: 'es2024',
		mainFields: ['browser', 'module', 'main'],
		conditions: ['workerd', 'worker', 'browser', 'import'],
		external: ['node:*', 'cloudflare:*'],
		sourcemap: 'inline',
		logLevel: 'error',
	})
	return outputFiles[0]?.text ?? ''
}

/** A kept folder may already have some: what is in `d1_migrations` is not applied again. */
async function migrate(miniflare: Miniflare): Promise<void> {
	const db = await miniflare.getD1Database('DB')
	await db
		.prepare(
			'CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)',
		)
		.run()
	const { results } = await db.prepare('SELECT name FROM d1_migrations').all<{ name: string }>()
	const applied = new Set(results.map((row) => row.name))
	for (const { name, statements } of await readMigrations()) {
		if (applied.has(name)) continue
		await db.batch([
			...statements.map((sql) => db.prepare(sql)),
			db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
		])
	}
}
