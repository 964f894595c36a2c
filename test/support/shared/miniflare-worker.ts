import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import type { SourcelessWorkerOptions } from 'wrangler'
import { readMigrations } from '../../../scripts/lib/migrations.ts'
import { oncePerRun, runDirectory } from './once-per-run.ts'
import { testVariables } from './variables.ts'

const root = join(import.meta.dirname, '..', '..', '..')

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
	const workerOptions = await readWorkerOptions()
	const script = await bundle(options.entry ?? join(root, 'edge', 'worker.ts'))
	const persistTo = options.persistTo ?? (await mkdtemp(join(tmpdir(), 'playhouse-worker-')))
	await layDatabase(persistTo, workerOptions)
	const logs: string[] = []
	const vars = { ...(workerOptions.bindings as Record<string, string>), ...testVariables, ...options.vars }
	const bindings = Object.fromEntries(Object.entries(vars).filter((entry) => entry[1] !== undefined))
	const miniflare = new Miniflare({
		...convertV4MiniflareOptions({
			...workerOptions,
			queueConsumers: deliverAtOnce(workerOptions.queueConsumers as Record<string, object>),
			bindings: bindings as Record<string, string>,
			...(options.services && { serviceBindings: options.services as Record<string, never> }),
			modules: [{ type: 'ESModule', path: script }],
			modulesRoot: runDirectory,
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

/** wrangler.toml as Miniflare wants it. Loading wrangler takes as much CPU time as starting workerd. */
async function readWorkerOptions(): Promise<SourcelessWorkerOptions> {
	const path = await oncePerRun('worker-options.json', async (path) => {
		const { unstable_getMiniflareWorkerOptions } = await import('wrangler')
		const { workerOptions } = unstable_getMiniflareWorkerOptions(join(root, 'wrangler.toml'))
		await writeFile(path, JSON.stringify(workerOptions))
	})
	return JSON.parse(await readFile(path, 'utf8'))
}

/**
 * Returns the path of a Worker in one file. Its source map lies in a file of its own: Miniflare finds it only there, and
 * copies all of the script, whatever stands in it, each time that it starts.
 */
function bundle(entry: string): Promise<string> {
	const name = `${relative(root, entry).replaceAll('/', '-')}.js`
	return oncePerRun(name, async (path) => {
		const { outputFiles } = await build({
			entryPoints: [entry],
			outfile: join(runDirectory, name),
			bundle: true,
			write: false,
			format: 'esm',
			target: 'es2024',
			mainFields: ['browser', 'module', 'main'],
			conditions: ['workerd', 'worker', 'browser', 'import'],
			external: ['node:*', 'cloudflare:*'],
			sourcemap: 'linked',
			sourcesContent: false,
			logLevel: 'error',
		})
		const [map, script] = outputFiles
		await oncePerRun(`${name}.map`, (path) => writeFile(path, map?.contents ?? ''))
		await writeFile(path, script?.contents ?? '')
	})
}

/** Where a Worker keeps its D1 databases, in the folder of all that it keeps. */
const DATABASES = 'd1'

/** A kept folder has its database already. Any other gets a copy of one with all tables, since making them takes a second. */
async function layDatabase(persistTo: string, { d1Databases }: SourcelessWorkerOptions): Promise<void> {
	const databases = join(persistTo, DATABASES)
	if (existsSync(databases)) return
	const template = await oncePerRun('worker-database', (path) =>
		createDatabase(path, d1Databases as Record<string, { id: string }>),
	)
	// Whoever is killed here finds no half of a database when it starts again.
	const partial = `${databases}.${randomUUID()}`
	await cp(join(template, DATABASES), partial, { recursive: true })
	await rename(partial, databases)
}

async function createDatabase(persistTo: string, d1Databases: Record<string, { id: string }>): Promise<void> {
	const miniflare = new Miniflare({
		...convertV4MiniflareOptions({ d1Databases, modules: true, script: 'export default {}' }),
		log: new Log(LogLevel.ERROR),
		resourcePersistencePath: persistTo,
	})
	try {
		const db = await miniflare.getD1Database('DB')
		const statements = (await readMigrations()).flatMap((migration) => migration.statements)
		await db.batch(statements.map((sql) => db.prepare(sql)))
	} finally {
		await miniflare.dispose()
	}
}
