import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import type { SourcelessWorkerOptions } from 'wrangler'
import { readMigrations } from '../../../scripts/lib/migrations.ts'
import { findBesideNextRelease } from '../../../scripts/lib/runtime/next-release.ts'
import { oncePerRun, runDirectory } from './once-per-run.ts'
import { testVariables } from './variables.ts'

const root = join(import.meta.dirname, '..', '..', '..')

/** Names the Worker of this source tree, if that of another release runs beside it. */
export const WORKER_NAME = 'playhouse'

/** The same in every run, so that a test can derive the same keys as the Worker. */
export const secretVars = { AUTH_SECRET: testVariables.AUTH_SECRET, FLEET_TOKEN: testVariables.FLEET_TOKEN }

export type StartOptions = {
	/** Override variables of wrangler.toml and `testVariables`; `undefined` removes one. */
	vars?: Record<string, string | undefined>
	/** The directory of databases and buckets. By default a new one that `dispose` deletes. */
	persistTo?: string
	entry?: string
	/** Hash passwords as slowly as in production. Otherwise a sign-up would take as long as twenty other requests. */
	hasSlowPasswords?: boolean
	/** Service bindings that the test implements, or networks. */
	services?: Record<string, ((request: Request) => Promise<Response>) | { network: object }>
	/** The path of a certificate. The Worker accepts servers whose certificates it has signed. */
	trustedAuthority?: string
}

export type RunningWorker = {
	url: string
	/** For access to bindings and to the scheduled and queue handlers. */
	miniflare: Miniflare
	/** Lines that the Worker has printed. */
	logs: string[]
	dispose(): Promise<void>
	[Symbol.asyncDispose](): Promise<void>
}

/** Starts the Worker as configured in wrangler.toml, in its own workerd on a free loopback port. */
export async function startWorker(options: StartOptions = {}): Promise<RunningWorker> {
	const workerOptions = await readWorkerOptions()
	const script = await bundle(
		options.entry ?? join(root, 'edge', 'worker.ts'),
		options.hasSlowPasswords ? [] : [quickPasswords],
	)
	const persistTo = options.persistTo ?? (await mkdtemp(join(tmpdir(), 'playhouse-worker-')))
	await addDatabase(persistTo, workerOptions)
	const logs: string[] = []
	const vars = { ...(workerOptions.bindings as Record<string, string>), ...testVariables, ...options.vars }
	const bindings = Object.fromEntries(Object.entries(vars).filter((entry) => entry[1] !== undefined))
	const { workers, answering } = await findBesideNextRelease({
		...workerOptions,
		name: WORKER_NAME,
		queueConsumers: withoutBatchTimeout(workerOptions.queueConsumers as Record<string, object>),
		bindings: bindings as Record<string, string>,
		...(options.services && { serviceBindings: options.services as Record<string, never> }),
		modules: [{ type: 'ESModule', path: script }],
		modulesRoot: runDirectory,
	})
	const miniflare = new (miniflareThatTrusts(options.trustedAuthority))({
		// The first Worker answers.
		...convertV4MiniflareOptions({
			workers: workers.toSorted((a, b) => Number(b.name === answering) - Number(a.name === answering)),
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

/** Returns Miniflare, or a second copy of it: it reads additional authorities only when it is loaded. */
function miniflareThatTrusts(authorityPath?: string): typeof Miniflare {
	if (!authorityPath) return Miniflare
	const require = createRequire(import.meta.url)
	const path = require.resolve('miniflare')
	const loaded = require.cache[path]
	delete require.cache[path]
	// Restored after each test file (node-setup.ts).
	process.env.NODE_EXTRA_CA_CERTS = authorityPath
	const copy: typeof import('miniflare') = require(path)
	require.cache[path] = loaded
	return copy.Miniflare
}

/** In production a queue collects messages for a second or more before it delivers them. */
const withoutBatchTimeout = (consumers: Record<string, object>) =>
	Object.fromEntries(
		Object.entries(consumers).map(([queue, options]) => [queue, { ...options, maxBatchTimeout: 0 }]),
	)

/** Converts wrangler.toml to Miniflare options. Loading wrangler takes as much CPU time as starting workerd. */
async function readWorkerOptions(): Promise<SourcelessWorkerOptions> {
	const path = await oncePerRun('worker-options.json', async (path) => {
		const { unstable_getMiniflareWorkerOptions } = await import('wrangler')
		const { workerOptions } = unstable_getMiniflareWorkerOptions(join(root, 'wrangler.toml'))
		await writeFile(path, JSON.stringify(workerOptions))
	})
	return JSON.parse(await readFile(path, 'utf8'))
}

/**
 * Bundles a Worker into one file and returns its path. Miniflare copies the whole script about a hundred times at each
 * start, so the script is short (names stay, as error messages contain them), and the source map is a separate file.
 */
function bundle(entry: string, plugins: Plugin[]): Promise<string> {
	const names = [...plugins.map(({ name }) => name), relative(root, entry).replaceAll('/', '-')]
	const name = `${names.join('-')}.js`
	return oncePerRun(name, async (path) => {
		const { outputFiles } = await build({
			entryPoints: [entry],
			outfile: join(runDirectory, name),
			bundle: true,
			minifyWhitespace: true,
			minifySyntax: true,
			write: false,
			format: 'esm',
			target: 'es2024',
			mainFields: ['browser', 'module', 'main'],
			conditions: ['workerd', 'worker', 'browser', 'import'],
			external: ['node:*', 'cloudflare:*'],
			plugins,
			sourcemap: 'linked',
			sourcesContent: false,
			logLevel: 'error',
		})
		const [map, script] = outputFiles
		await oncePerRun(`${name}.map`, (path) => writeFile(path, map?.contents ?? ''))
		await writeFile(path, script?.contents ?? '')
	})
}

/** Lowers the cost of hashing passwords, as tests inside the Worker do. */
const quickPasswords: Plugin = {
	name: 'quick-passwords',
	setup({ onLoad }) {
		onLoad({ filter: /edge\/platform\/tokens\/passwords\.ts$/ }, async ({ path }) => {
			const source = await readFile(path, 'utf8')
			const contents = source.replace('= { log2N: 14, r: 8, p: 5 }', '= { log2N: 4, r: 1, p: 1 }')
			if (contents === source) throw new Error(`the cost is not in ${path}`)
			return { contents, loader: 'ts' }
		})
	},
}

/** The folder of the D1 databases below `persistTo`. */
const DATABASES = 'd1'

/** Copies a database with all tables into a new folder, as creating the tables takes a second. */
async function addDatabase(persistTo: string, { d1Databases }: SourcelessWorkerOptions): Promise<void> {
	const databases = join(persistTo, DATABASES)
	if (existsSync(databases)) return
	const template = await oncePerRun('worker-database', (path) =>
		createDatabase(path, d1Databases as Record<string, { id: string }>),
	)
	// A process that is killed here must not leave a partial database.
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
