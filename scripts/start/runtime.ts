import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { CoreHeaders, convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { type Control, controlAt } from './control.ts'
import { root } from './settings.ts'
import { CONTROL, DOOR, readConfig, workersOf } from './workers.ts'

export type RuntimeOptions = {
	host: string
	port: number
	/** Holds worker.js, the Worker in one file. */
	bundle: string
	/** Databases, objects and buckets are kept here. */
	storage: string
	variables: Record<string, string>
	trustsProxy: boolean
	/** Whose bindings, cron expressions and pages are used. */
	configPath?: string
	/** Takes the lines that the Worker logs; by default they are printed. */
	onLog?: (line: string) => void
}

export type Runtime = {
	url: URL
	/** Miniflare's own port, on loopback. It answers nobody (workers.ts). */
	ownUrl: URL
	crons: readonly string[]
	control: Control
	stop(): Promise<void>
}

/** The Worker on workerd, with everything that wrangler.toml binds to it kept on disk. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
	const configured = readConfig(options.configPath ?? join(root, 'wrangler.toml'))
	const secret = randomUUID()
	const converted = convertV4MiniflareOptions({
		host: '127.0.0.1',
		port: 0,
		// Miniflare would otherwise ask the network where this machine stands.
		cf: false,
		log: new Log(LogLevel.WARN),
		logRequests: false,
		workers: await workersOf(options, configured, secret),
	})
	closeCfHeader()
	const { onLog } = options
	const miniflare = new Miniflare({
		...converted,
		resourcePersistencePath: options.storage,
		...(onLog && { handleStructuredLogs: ({ message }: { message: string }) => onLog(message) }),
	})
	try {
		const ownUrl = await miniflare.ready
		return {
			ownUrl,
			url: await miniflare.unsafeGetDirectURL(DOOR, 'Door'),
			crons: configured.cronTriggers ?? [],
			control: controlAt(await miniflare.unsafeGetDirectURL(CONTROL), secret),
			stop: () => miniflare.dispose(),
		}
	} catch (error) {
		await miniflare.dispose()
		throw error
	}
}

/**
 * Miniflare lets a header of any request replace `request.cf`, where the door reads who is calling. There is no option
 * for it: only where this name is missing does workerd fill in the address of the connection itself.
 */
function closeCfHeader(): void {
	Object.assign(CoreHeaders, { CF_BLOB: undefined })
}
