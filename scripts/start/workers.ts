import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import type { RuntimeOptions } from './runtime.ts'

export const EDGE = 'playhouse'
export const DOOR = 'door'
export const CONTROL = 'control'
const PAGES = 'pages'

/**
 * Stands between Miniflare and the Worker. Miniflare listens at a port of its own, where a header names the Worker that
 * answers, by its default entrypoint. Requests there would come past the door, which says who is calling. So the default
 * entrypoint answers none, and requests have an entrypoint that only the door is bound to.
 */
const behindDoor = `
import edge from './worker.js'
export * from './worker.js'
export default { ...edge, fetch: () => new Response(null, { status: 404 }) }
export const BehindDoor = { fetch: edge.fetch }`

/** What is read of wrangler.toml here; the rest is handed on to Miniflare as it is. */
type Configured = {
	compatibilityDate: string
	bindings: Record<string, string>
	cronTriggers?: string[]
	d1Databases?: Record<string, { id: string }>
	assets?: { directory: string; binding?: string; run_worker_first?: boolean | string[] }
}

export const readConfig = (path: string) =>
	unstable_getMiniflareWorkerOptions(path).workerOptions as Configured

/** The Worker itself, and what stands around it in local runs. */
export async function workersOf(options: RuntimeOptions, configured: Configured, secret: string) {
	return [
		await doorOptions(options, configured),
		await controlOptions(configured, secret),
		...(await edgeOptions(options, configured)),
	]
}

async function doorOptions({ host, port, trustsProxy }: RuntimeOptions, { compatibilityDate }: Configured) {
	return {
		name: DOOR,
		compatibilityDate,
		...(await ownModule('door.mjs')),
		bindings: { TRUSTS_PROXY: String(trustsProxy) },
		serviceBindings: { EDGE: { name: EDGE, entrypoint: 'BehindDoor' } },
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
		serviceBindings: { EDGE, LATCH: { name: DOOR, entrypoint: 'Latch' } },
		...(d1Databases && { d1Databases }),
		unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
	}
}

async function edgeOptions({ bundle, variables }: RuntimeOptions, { assets, ...configured }: Configured) {
	const edge = {
		...configured,
		name: EDGE,
		bindings: { ...configured.bindings, ...variables },
		modules: [
			{
				type: 'ESModule' as const,
				path: join(bundle, 'behind-door.mjs'),
				contents: behindDoor,
			},
			{ type: 'ESModule' as const, path: join(bundle, 'worker.js') },
		],
		modulesRoot: bundle,
	}
	if (!assets?.binding || assets.run_worker_first !== true) return [{ ...edge, ...(assets && { assets }) }]
	// Miniflare sends every request of a Worker with static files through two more Workers, which halves what it can
	// do. They have nothing to say where the Worker comes first: so the files get a Worker of their own.
	const pages = {
		name: PAGES,
		compatibilityDate: configured.compatibilityDate,
		...(await ownModule('pages.mjs')),
		assets: { ...assets, binding: 'FILES' },
	}
	return [{ ...edge, serviceBindings: { [assets.binding]: { name: PAGES, entrypoint: 'Pages' } } }, pages]
}

async function ownModule(name: string) {
	const path = join(import.meta.dirname, name)
	const contents = await readFile(path, 'utf8')
	return { modules: [{ type: 'ESModule' as const, path, contents }], modulesRoot: import.meta.dirname }
}
