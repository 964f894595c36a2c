import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { CoreHeaders, convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { root } from '../../start/settings.ts'
import { type Control, controlAt, deferredControl } from './control.ts'
import type { RuntimeOptions } from './runtime-options.ts'
import { CONTROL, DEV_PROXY, readConfig, workersOf } from './workers.ts'

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

/** Starts the Worker on workerd with all bindings of wrangler.toml and persistent data. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
	const secret = randomUUID()
	disableCfHeader()
	let isAdmitting = false
	const read = (of: RuntimeOptions) => readOptions(of, secret, () => isAdmitting)
	let { crons, miniflareOptions } = await read(options)
	const miniflare = new Miniflare(miniflareOptions)
	const control = async () => controlAt(await miniflare.unsafeGetDirectURL(CONTROL), secret)
	let lastReload: Promise<unknown> = Promise.resolve()
	try {
		const ownUrl = await miniflare.ready
		return {
			ownUrl,
			url: await miniflare.unsafeGetDirectURL(DEV_PROXY, 'DevProxy'),
			get crons() {
				return crons
			},
			control: deferredControl(() => lastReload.then(control)),
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
	const configured = readConfig(options.configPath ?? join(root, 'wrangler.toml'))
	const converted = convertV4MiniflareOptions({
		host: '127.0.0.1',
		port: 0,
		// Otherwise Miniflare fetches its location data from the network.
		cf: false,
		log: new Log(LogLevel.WARN),
		logRequests: false,
		...(options.local?.inspectorPort !== undefined && { inspectorPort: options.local.inspectorPort }),
		workers: await workersOf(options, configured, secret, isAdmitting),
	})
	const { onLog } = options
	return {
		crons: configured.cronTriggers ?? [],
		miniflareOptions: {
			...converted,
			resourcePersistencePath: options.storage,
			...(onLog && {
				handleStructuredLogs: ({ message, level }: { message: string; level: string }) =>
					onLog(message, level),
			}),
		},
	}
}

/**
 * Miniflare lets a header of any request replace `request.cf`, where the dev proxy reads the caller's address. No
 * option turns this off. workerd fills in the address of the connection only if this header name is missing.
 */
function disableCfHeader(): void {
	Object.assign(CoreHeaders, { CF_BLOB: undefined })
}
