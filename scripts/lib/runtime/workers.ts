import { readFile, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { findBesideNextRelease } from './next-release.ts'
import type { RuntimeOptions } from './runtime-options.ts'
import type { WorkerConfig } from './worker-config.ts'

export const EDGE = 'playhouse'
/** Dev proxy, control and static files in one Worker, since each Worker costs 7 MB of memory. */
export const LOCAL = 'local'

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

/** Returns the options of the Worker and of the Worker in front of it. */
export async function configureWorkers(
	options: RuntimeOptions,
	configured: WorkerConfig,
	secret: string,
	isAdmitting: () => boolean,
) {
	const { workers, answering } = await findBesideNextRelease(edgeOptions(options, configured))
	return [await localOptions(options, configured, secret, isAdmitting, answering), ...workers]
}

async function localOptions(
	options: RuntimeOptions,
	{ compatibilityDate, d1Databases, assets }: WorkerConfig,
	secret: string,
	isAdmitting: () => boolean,
	answering: string,
) {
	const { host, port, trustsProxy, local } = options
	return {
		name: LOCAL,
		compatibilityDate,
		// Allows `scheduled` on a service binding.
		compatibilityFlags: ['service_binding_extra_handlers'],
		...(await ownModules('local.mjs', 'control.mjs', 'dev-proxy.mjs', 'live-reload.mjs', 'pages.mjs')),
		bindings: {
			CONTROL_SECRET: secret,
			TRUSTS_PROXY: String(trustsProxy),
			LOGS_REQUESTS: String(local?.logsRequests === true),
			RELOADS_PAGES: String(local?.reloadsPages === true),
		},
		serviceBindings: {
			EDGE: { name: answering, entrypoint: 'BehindProxy' },
			SCHEDULED: EDGE,
			ADMISSION: asService(async () => new Response(null, { status: isAdmitting() ? 204 : 503 })),
			DISK: asService(disk(options)),
			...(local?.pages && { LOCAL: asService(local.pages) }),
		},
		...(d1Databases && { d1Databases }),
		...(assets && servesFiles(assets) && { assets: { ...assets, binding: 'FILES' } }),
		unsafeDirectSockets: [
			{ host, port, entrypoint: 'DevProxy' },
			{ host: '127.0.0.1', port: 0, entrypoint: 'Control' },
		],
	}
}

/** Answers how many bytes are free. */
const disk =
	({ storage, freeBytes = () => freeBytesOf(storage) }: RuntimeOptions) =>
	async () =>
		new Response(String(await freeBytes()))

async function freeBytesOf(folder: string): Promise<number> {
	const { bavail, bsize } = await statfs(folder)
	return bavail * bsize
}

/**
 * A binding that connects to public addresses only, and to those of WEBHOOK_NETWORKS. It checks the addresses that a name
 * resolves to, so no name can lead to a private one. Miniflare's own default would allow private addresses.
 */
export const createPublicNetwork = (allowedNetworks = '') => ({
	PUBLIC_NETWORK: {
		network: {
			allow: ['public', ...allowedNetworks.split(',').map((block) => block.trim())].filter(Boolean),
			tlsOptions: { trustBrowserCas: true },
		},
	},
})

const asService = (answer: (request: Request) => Promise<Response>) => answer as never

/**
 * Miniflare sends every request of a Worker with static files through two more Workers, which halves its throughput.
 * They are not needed when the Worker runs first, so the local Worker serves the files.
 */
const servesFiles = ({ binding, run_worker_first }: NonNullable<WorkerConfig['assets']>) =>
	binding !== undefined && run_worker_first === true

function edgeOptions(options: RuntimeOptions, { assets, ...configured }: WorkerConfig) {
	const { bundle, variables, local, port } = options
	const isServedFiles = assets !== undefined && servesFiles(assets)
	return {
		...configured,
		name: EDGE,
		serviceBindings: {
			...(local?.mailbox && { MAILBOX: asService(local.mailbox) }),
			DISK: asService(disk(options)),
			...createPublicNetwork(variables.WEBHOOK_NETWORKS),
			...(isServedFiles && { [String(assets.binding)]: { name: LOCAL, entrypoint: 'Pages' } }),
		},
		...(assets && !isServedFiles && { assets }),
		bindings: { ...configured.bindings, ...variables, LISTENING_PORT: String(port) },
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
}

/** Reads modules of this folder; the first is the entry module. */
async function ownModules(...names: string[]) {
	const modules = names.map(async (name) => {
		const path = join(import.meta.dirname, name)
		return { type: 'ESModule' as const, path, contents: await readFile(path, 'utf8') }
	})
	return { modules: await Promise.all(modules), modulesRoot: import.meta.dirname }
}
