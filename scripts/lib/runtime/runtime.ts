import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { canDieWithParent } from '../die-with-parent.ts'
import { root } from '../root.ts'
import { type Control, deferControl, openControl } from './control.ts'
import type { RuntimeOptions } from './runtime-options.ts'
import { readWorkerConfig } from './worker-config.ts'
import { configureWorkers, LOCAL } from './workers.ts'

// Not imported: an import would keep two more copies of its 6 MB source in memory.
const require = createRequire(import.meta.url)
const {
	CoreHeaders,
	convertV4MiniflareOptions,
	Log,
	LogLevel,
	Miniflare,
	serializeConfig,
}: typeof import('miniflare') = require('miniflare')

export type Runtime = {
	url: URL
	/** Miniflare's own port on loopback. Every request there gets 404 (workers.ts). */
	ownUrl: URL
	crons: readonly string[]
	control: Control
	/** Lets requests in. Until then the dev proxy answers 503. */
	admitRequests(): void
	/**
	 * Replaces the running bundle and reads wrangler.toml again; data stays. If the new bundle does not start, the old
	 * one keeps running. Requests get 503 until `admitRequests()` is called again.
	 */
	reload(bundle: string): Promise<void>
	stop(): Promise<void>
}

/** 128 MB is the limit of an isolate on Cloudflare. The rest trades a little speed for a small heap. */
const V8_FLAGS =
	'--max-old-space-size=128 --max-semi-space-size=1 --optimize-for-size --initial-old-space-size=1 --heap-growing-percent=20'

/** Starts the Worker on workerd with all bindings of wrangler.toml and persistent data. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
	const secret = randomUUID()
	disableCfHeader()
	disableCapnpSessions()
	process.env.MINIFLARE_WORKERD_V8_FLAGS ??= V8_FLAGS
	endWorkerdWithThisProcess()
	let isAdmitting = false
	const read = (of: RuntimeOptions) => readOptions(of, secret, () => isAdmitting)
	let { crons, miniflareOptions } = await read(options)
	const miniflare = new Miniflare(miniflareOptions)
	const control = async () => openControl(await miniflare.unsafeGetDirectURL(LOCAL, 'Control'), secret)
	let lastReload: Promise<unknown> = Promise.resolve()
	try {
		const ownUrl = await miniflare.ready
		return {
			ownUrl,
			url: await miniflare.unsafeGetDirectURL(LOCAL, 'DevProxy'),
			get crons() {
				return crons
			},
			control: deferControl(() => lastReload.then(control)),
			admitRequests() {
				isAdmitting = true
			},
			async reload(bundle) {
				const next = await read({ ...options, bundle })
				isAdmitting = false
				const previous = miniflareOptions
				const replaceOptions = async () => {
					try {
						await miniflare.setOptions(next.miniflareOptions)
						;({ crons, miniflareOptions } = next)
					} catch (error) {
						await miniflare.setOptions(previous)
						throw error
					}
				}
				const replaced = replaceOptions()
				lastReload = replaced.catch(() => {})
				await replaced
			},
			stop: () => miniflare.dispose(),
		}
	} catch (error) {
		await miniflare.dispose()
		throw error
	}
}

async function readOptions(options: RuntimeOptions, secret: string, isAdmitting: () => boolean) {
	const configured = await readWorkerConfig(options.configPath ?? join(root, 'wrangler.toml'))
	const converted = convertV4MiniflareOptions({
		host: '127.0.0.1',
		port: 0,
		// Otherwise Miniflare fetches its location data from the network.
		cf: false,
		log: new Log(LogLevel.WARN),
		logRequests: false,
		...(options.local?.inspectorPort !== undefined && { inspectorPort: options.local.inspectorPort }),
		workers: await configureWorkers(options, configured, secret, isAdmitting),
	})
	const { onLog } = options
	return {
		crons: configured.cronTriggers ?? [],
		miniflareOptions: {
			...converted,
			resourcePersistencePath: options.storage,
			...(onLog && {
				handleStructuredLogs: ({ message, level }: { message: string; level: string }) =>
					isOfInterest(message) && onLog(message, level),
			}),
		},
	}
}

/** With V8 flags, workerd compiles a few small scripts itself, and reports that at each start. */
const isOfInterest = (message: string): boolean => !message.includes('per-isolate bootstrap compile cache')

function endWorkerdWithThisProcess(): void {
	if (process.env.MINIFLARE_WORKERD_PATH || !canDieWithParent()) return
	process.env.PLAYHOUSE_WORKERD = require('workerd').default
	process.env.MINIFLARE_WORKERD_PATH = join(import.meta.dirname, 'workerd.sh')
}

/**
 * Miniflare lets a header of any request replace `request.cf`, where the dev proxy reads the caller's address. No
 * option turns this off. workerd fills in the address of the connection only if this header name is missing.
 */
function disableCfHeader(): void {
	Object.assign(CoreHeaders, { CF_BLOB: undefined })
}

/**
 * On every port, Miniflare has workerd accept CONNECT to a fixed host as a Cap'n Proto session, which delivers requests
 * without the address of the connection. No option turns this off, and the class that writes the host into the
 * configuration is not exported. A property that all objects inherit for a moment finds it.
 */
function disableCapnpSessions(): void {
	const found: object[] = []
	Object.defineProperty(Object.prototype, 'ofHttpOptions', {
		configurable: true,
		set() {
			found.push(Object.getPrototypeOf(this))
		},
	})
	try {
		serializeConfig({ sockets: [{ http: { ofHttpOptions: true } }] } as never)
	} finally {
		Reflect.deleteProperty(Object.prototype, 'ofHttpOptions')
	}
	const [httpOptions] = found
	if (!httpOptions || !('capnpConnectHost' in httpOptions))
		throw new Error('Miniflare has changed its HttpOptions')
	Object.defineProperty(httpOptions, 'capnpConnectHost', { configurable: true, set() {} })
}
