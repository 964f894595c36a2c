import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CoreHeaders, convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { type Control, controlAt } from './control.ts'
import { root } from './settings.ts'

const EDGE = 'playhouse'
const DOOR = 'door'
const CONTROL = 'control'

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
}

export type Runtime = {
	url: URL
	crons: readonly string[]
	control: Control
	stop(): Promise<void>
}

/** What is read of wrangler.toml here; the rest is handed on to Miniflare as it is. */
type Configured = {
	compatibilityDate: string
	bindings: Record<string, string>
	cronTriggers?: string[]
	d1Databases?: Record<string, { id: string }>
}

const readConfig = (path: string) => unstable_getMiniflareWorkerOptions(path).workerOptions as Configured

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
		workers: [
			await doorOptions(options, configured),
			await controlOptions(configured, secret),
			{
				...configured,
				name: EDGE,
				bindings: { ...configured.bindings, ...options.variables },
				modules: [{ type: 'ESModule', path: join(options.bundle, 'worker.js') }],
				modulesRoot: options.bundle,
			},
		],
	})
	closeCfHeader()
	const miniflare = new Miniflare({ ...converted, resourcePersistencePath: options.storage })
	try {
		await miniflare.ready
		return {
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

async function doorOptions({ host, port, trustsProxy }: RuntimeOptions, { compatibilityDate }: Configured) {
	return {
		name: DOOR,
		compatibilityDate,
		...(await ownModule('door.mjs')),
		bindings: { TRUSTS_PROXY: String(trustsProxy) },
		serviceBindings: { EDGE },
		unsafeDirectSockets: [{ host, port, entrypoint: 'Door' }],
	}
}

async function controlOptions({ compatibilityDate, d1Databases }: Configured, secret: string) {
	return {
		name: CONTROL,
		compatibilityDate,
		// For `scheduled` on a service.
		compatibilityFlags: ['service_binding_extra_handlers'],
		...(await ownModule('control.mjs')),
		bindings: { SECRET: secret },
		serviceBindings: { EDGE },
		...(d1Databases && { d1Databases }),
		unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
	}
}

async function ownModule(name: string) {
	const path = join(import.meta.dirname, name)
	const contents = await readFile(path, 'utf8')
	return { modules: [{ type: 'ESModule' as const, path, contents }], modulesRoot: import.meta.dirname }
}

/**
 * Miniflare lets a header of any request replace `request.cf`, where the door reads who is calling. There is no option
 * for it: only where this name is missing does workerd fill in the address of the connection itself.
 */
function closeCfHeader(): void {
	Object.assign(CoreHeaders, { CF_BLOB: undefined })
}
