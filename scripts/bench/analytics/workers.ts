import { join } from 'node:path'
import { signup } from '../../../schema/contract/accounts/identity.ts'
import { createClient } from '../../../schema/contract/kit/client.ts'
import { createAsset } from '../../../schema/contract/video/assets.ts'
import { readUsedHeapBytes } from '../lib/heap.ts'
import { UNMARKED } from '../lib/node-modules.ts'
import {
	bundleDeployedModules,
	bundleModules,
	type Database,
	openWorkerRuntime,
	readConfiguredWorker,
} from '../lib/worker-runtime.ts'

export type BenchVideo = { assetId: string; playbackId: string }
export type Site = {
	url: string
	token: string
	database: Database
	addVideos(count: number, durationMs: number): Promise<BenchVideo[]>
}

/** Without queues, schedules and rate limits, so that nothing disturbs a measurement. */
async function plainWorker() {
	const {
		ratelimits: _limits,
		queueConsumers: _consumers,
		cronTriggers: _crons,
		...plain
	} = (await readConfiguredWorker()) as Awaited<ReturnType<typeof readConfiguredWorker>> & {
		cronTriggers?: unknown
		durableObjects?: Record<string, unknown>
	}
	return plain
}

/** Starts our Worker as deployed, and beside it one that writes each report to D1. */
export async function startReportWorkers() {
	const upsert = { name: 'upsert', compatibilityDate: (await plainWorker()).compatibilityDate }
	const workers = [
		{ ...(await plainWorker()), ...(await bundleDeployedModules()), name: 'ours' },
		{
			...upsert,
			d1Databases: { DB: { id: 'upsert' } },
			...(await bundleModules(join(import.meta.dirname, 'upsert-worker.ts'))),
		},
	]
	return openWorkerRuntime(workers, async (runtime) => {
		const database = await runtime.openDatabase('upsert')
		await database
			.prepare(
				'create table playback_sessions (id text primary key, playback_id text not null, seq integer not null, state text not null, started_at integer not null, reported_at integer not null) without rowid',
			)
			.run()
		return {
			ours: await openSite(await runtime.readUrl('ours'), await runtime.openDatabase('ours')),
			upsertUrl: await runtime.readUrl('upsert'),
		}
	})
}

/** Starts our Worker as deployed. */
export async function startOurs() {
	const worker = { ...(await plainWorker()), ...(await bundleDeployedModules()), name: 'ours' }
	return openWorkerRuntime([worker], async (runtime) =>
		openSite(await runtime.readUrl('ours'), await runtime.openDatabase('ours')),
	)
}

/** Starts our Worker as deployed, and a function that returns how many bytes are in use in its heap. */
export async function startInspected() {
	const worker = { ...(await plainWorker()), ...(await bundleDeployedModules()), name: 'ours' }
	return openWorkerRuntime(
		[worker],
		async (runtime) => {
			const inspectorUrl = await runtime.readInspectorUrl('ours')
			return {
				...(await openSite(await runtime.readUrl('ours'), await runtime.openDatabase('ours'))),
				usedHeapBytes: () => readUsedHeapBytes(inspectorUrl),
			}
		},
		{ inspectorPort: 0 },
	)
}

/**
 * Starts our Worker with counters, on the clock of the benchmark. Without FLEET, streams need no ticket; one organization
 * has at most 50.
 */
export async function startCounting() {
	const { durableObjects, ...plain } = await plainWorker()
	const { FLEET: _fleet, ...counted } = durableObjects ?? {}
	const worker = { ...plain, durableObjects: counted, ...(await countingModules()), name: 'counting' }
	return openWorkerRuntime([worker], async (runtime) =>
		openSite(await runtime.readUrl('counting'), await runtime.openDatabase('counting')),
	)
}

const COUNTING_OBJECT = join(import.meta.dirname, 'counting-object.ts')

const countingModules = () =>
	bundleModules(join(import.meta.dirname, 'counting-worker.ts'), {
		conditions: ['workerd', 'worker', 'browser'],
		external: ['node:*'],
		plugins: [
			{
				name: 'counting objects',
				setup({ onResolve }) {
					onResolve({ filter: UNMARKED }, ({ path }) => ({ path: `node:${path}`, external: true }))
					onResolve({ filter: /^cloudflare:/ }, ({ path, importer }) =>
						path === 'cloudflare:workers' && importer !== COUNTING_OBJECT
							? { path: COUNTING_OBJECT }
							: { path, external: true },
					)
				},
			},
		],
	})

async function openSite(url: string, database: Database): Promise<Site> {
	const { call } = createClient({ baseUrl: url, fetch })
	const person = { email: 'ada@example.org', password: 'correct horse battery', name: 'Ada' }
	const { token } = (await call(signup, { body: person })).data
	return {
		url,
		token,
		database,
		/** Videos that are ready; nothing is stored that could be played. */
		async addVideos(count, durationMs) {
			const videos: BenchVideo[] = []
			for (let k = 0; k < count; k++) {
				const { id, playbackId } = (await call(createAsset, { body: { title: `Video ${k}` } }, { token }))
					.data
				videos.push({ assetId: id, playbackId })
			}
			await database
				.prepare(
					"update assets set status = 'ready', manifest_key = 'media/' || playback_id || '/job/master.m3u8', duration_sec = ?",
				)
				.bind(durationMs / 1_000)
				.run()
			return videos
		},
	}
}
