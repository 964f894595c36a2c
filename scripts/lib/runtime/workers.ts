import { readFile, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { besideNextRelease } from './next-release.ts'
import type { RuntimeOptions } from './runtime-options.ts'
import type { WorkerConfig } from './worker-config.ts'

export const EDGE = 'playhouse'
export const DEV_PROXY = 'dev-proxy'
export const CONTROL = 'control'
const PAGES = 'pages'

/**
 * Wraps the Worker so that only the dev proxy reaches it. On Miniflare's own port a header selects a Worker, which
 * answers by its default entrypoint. Such a request would bypass the dev proxy, which sets the caller's address. So
 * the default entrypoint answers 404, and only the dev proxy is bound to the entrypoint that serves requests.
 */
const behindProxy = `
import edge from './worker.js'
export * from './worker.js'
export default { ...edge, fetch: () => new Response(null, { status: 404 }) }
export const BehindProxy = { fetch: edge.fetch }`

/** Returns the options of the Worker and of its helper Workers in local runs. */
export async function workersOf(
	options: RuntimeOptions,
	configured: WorkerConfig,
	secret: string,
	isAdmitting: () => boolean,
) {
	const { edge, helpers } = await edgeOptions(options, configured)
	const { workers, answering } = await besideNextRelease(edge)
	return [
		await devProxyOptions(options, configured, isAdmitting, answering),
		await controlOptions(configured, secret),
		...workers,
		...helpers,
	]
}

async function devProxyOptions(
	{ host, port, trustsProxy, local, storage, freeBytes = () => freeBytesOf(storage) }: RuntimeOptions,
	{ compatibilityDate }: WorkerConfig,
	isAdmitting: () => boolean,
	answering: string,
) {
	return {
		name: DEV_PROXY,
		compatibilityDate,
		...(await ownModules('dev-proxy.mjs', 'live-reload.mjs')),
		bindings: {
			TRUSTS_PROXY: String(trustsProxy),
			LOGS_REQUESTS: String(local?.logsRequests === true),
			RELOADS_PAGES: String(local?.reloadsPages === true),
		},
		serviceBindings: {
			EDGE: { name: answering, entrypoint: 'BehindProxy' },
			ADMISSION: asService(async () => new Response(null, { status: isAdmitting() ? 204 : 503 })),
			SPACE: asService(async () => new Response(String(await freeBytes()))),
			...(local?.pages && { LOCAL: asService(local.pages) }),
		},
		unsafeDirectSockets: [{ host, port, entrypoint: 'DevProxy' }],
	}
}

async function freeBytesOf(folder: string): Promise<number> {
	const { bavail, bsize } = await statfs(folder)
	return bavail * bsize
}

async function controlOptions({ compatibilityDate, d1Databases }: WorkerConfig, secret: string) {
	return {
		name: CONTROL,
		compatibilityDate,
		// Allows `scheduled` on a service binding.
		compatibilityFlags: ['service_binding_extra_handlers'],
		...(await ownModules('control.mjs')),
		bindings: { SECRET: secret },
		serviceBindings: { EDGE },
		...(d1Databases && { d1Databases }),
		unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
	}
}

/**
 * A binding that connects to public addresses only, and to those of WEBHOOK_NETWORKS. It checks the addresses that a name
 * resolves to, so no name can lead to a private one. Miniflare's own default would allow private addresses.
 */
export const publicNetwork = (allowedNetworks = '') => ({
	PUBLIC_NETWORK: {
		network: {
			allow: ['public', ...allowedNetworks.split(',').map((block) => block.trim())].filter(Boolean),
			tlsOptions: { trustBrowserCas: true },
		},
	},
})

const asService = (answer: (request: Request) => Promise<Response>) => answer as never

async function edgeOptions(
	{ bundle, variables, local }: RuntimeOptions,
	{ assets, ...configured }: WorkerConfig,
) {
	const mailbox = local?.mailbox && { MAILBOX: asService(local.mailbox) }
	const network = publicNetwork(variables.WEBHOOK_NETWORKS)
	const edge = {
		...configured,
		name: EDGE,
		serviceBindings: { ...mailbox, ...network },
		bindings: { ...configured.bindings, ...variables },
		modules: [
			{
				type: 'ESModule' as const,
				path: join(bundle, 'behind-proxy.mjs'),
				contents: behindProxy,
			},
			{ type: 'ESModule' as const, path: join(bundle, 'worker.js') },
		],
		modulesRoot: bundle,
	}
	if (!assets?.binding || assets.run_worker_first !== true)
		return { edge: { ...edge, ...(assets && { assets }) }, helpers: [] }
	// Miniflare sends every request of a Worker with static files through two more Workers, which halves its
	// throughput. They are not needed when the Worker runs first, so a separate Worker serves the files.
	const pages = {
		name: PAGES,
		compatibilityDate: configured.compatibilityDate,
		...(await ownModules('pages.mjs')),
		assets: { ...assets, binding: 'FILES' },
	}
	const files = { [assets.binding]: { name: PAGES, entrypoint: 'Pages' } }
	return { edge: { ...edge, serviceBindings: { ...mailbox, ...network, ...files } }, helpers: [pages] }
}

/** Reads modules of this folder; the first is the entry module. */
async function ownModules(...names: string[]) {
	const modules = names.map(async (name) => {
		const path = join(import.meta.dirname, name)
		return { type: 'ESModule' as const, path, contents: await readFile(path, 'utf8') }
	})
	return { modules: await Promise.all(modules), modulesRoot: import.meta.dirname }
}
