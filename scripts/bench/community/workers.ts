import { join } from 'node:path'
import { UNMARKED } from '../lib/node-modules.ts'
import {
	bundleDeployedModules,
	bundleModules,
	type Database,
	openWorkerRuntime,
	readConfiguredWorker,
} from '../lib/worker-runtime.ts'

const SIZES = ['small', 'large'] as const
export type SizeName = (typeof SIZES)[number]
export type Side = { url: string; database: Database }

/**
 * Starts the deployed Worker on two databases, and a second copy on the larger one that records statements. Queue
 * consumers, schedules and rate limits are off, so that nothing disturbs a measurement.
 */
export async function startCommunityWorkers() {
	const {
		ratelimits: _limits,
		queueConsumers: _consumers,
		cronTriggers: _crons,
		...configured
	} = await readConfiguredWorker()
	const deployed = await bundleDeployedModules()
	const watched = await bundleWatched()
	const workerOf = (name: string, size: SizeName, modules: object) => ({
		...configured,
		...modules,
		name,
		d1Databases: { DB: { id: size } },
	})
	const workers = [
		...SIZES.map((size) => workerOf(size, size, deployed)),
		workerOf('watched', 'large', watched),
	]
	return openWorkerRuntime(workers, async ({ readUrl, openDatabase }) => {
		const openSide = async (name: SizeName): Promise<Side> => ({
			url: await readUrl(name),
			database: await openDatabase(name),
		})
		const [small, large] = [await openSide('small'), await openSide('large')]
		return { small, large, watched: { ...large, url: await readUrl('watched') } }
	})
}

const bundleWatched = () =>
	bundleModules(join(import.meta.dirname, 'watched-worker.ts'), {
		conditions: ['workerd', 'worker', 'browser'],
		external: ['cloudflare:*', 'node:*'],
		plugins: [
			{
				name: 'node',
				setup({ onResolve }) {
					onResolve({ filter: UNMARKED }, ({ path }) => ({ path: `node:${path}`, external: true }))
				},
			},
		],
	})
