import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { deleteAsset } from '#schema/contract/video/assets.ts'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import { storedObjects } from '../../../support/edge/stored-objects.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { allEncoders, assetCodecs, info, openCodecStudio, taskCodec, workUntil } from './codec-studio.ts'
import { openMachine } from './fake-machine.ts'
import { aStandardFilm } from './sources.ts'

let world: World
let ada: Person
let studio: Awaited<ReturnType<typeof openCodecStudio>>
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	studio = await openCodecStudio(world, ada)
})

const masterOf = async (playbackId: string) => {
	const { manifestUrl } = (await world.ask(getPlayback, { params: { playbackId } })).ok.data
	return (await world.fetch(new Request(manifestUrl))).text()
}

describe('additional codecs', () => {
	test('additional codecs are encoded in order after everything for playback, and are then added', {
		tags: 'd1',
	}, async () => {
		const machine = await openMachine(world, { info }, 'all', allEncoders)
		const { assetId, playbackId } = await studio.startInspected(machine)
		const first = await workUntil(machine, 'hevc')
		expect(new Set(first)).toEqual(new Set(['audio', 'h264', 'stills', 'download']))
		expect(first.lastIndexOf('stills')).toBeLessThan(first.indexOf('download'))
		const whole = await studio.asset(assetId)
		expect(whole).toMatchObject({ status: 'ready', job: { status: 'processing' }, currentStep: 'encoding' })
		expect(assetCodecs(whole)).toEqual(['h264'])
		const bytes = () =>
			world.deps((d) => d.db.all<{ bytes: number }>('select media_bytes as bytes from assets'))
		const [before] = await bytes()

		await workUntil(machine, 'av1')
		expect(assetCodecs(await studio.asset(assetId))).toEqual(['h264', 'hevc'])
		expect(new Set(await workUntil(machine))).toEqual(new Set(['av1']))
		const done = await studio.asset(assetId)
		expect(done).toMatchObject({ status: 'ready', job: { status: 'completed', leftOut: [], progress: 100 } })
		expect(assetCodecs(done)).toEqual(['h264', 'hevc', 'av1'])
		expect(await masterOf(playbackId)).toMatch(/avc1.*hvc1.*av01/s)

		// Downloads are H.264 and must survive the later publications.
		const files = await world.deps((d) =>
			d.db.all<{ codec: string; key: string | null; bytes: number }>(
				'select codec, download_key as key, download_bytes as bytes from renditions order by position',
			),
		)
		for (const { codec, key, bytes } of files) {
			expect(key === null).toBe(codec !== 'h264')
			if (key) expect((await env.VAULT.head(key))?.size).toBe(bytes)
		}
		const [row] = await world.deps((d) =>
			d.db.all<{ key: string; bytes: number }>(
				'select download_key as key, media_bytes as bytes from assets',
			),
		)
		expect(row?.key).toBe(files[0]?.key)
		const listed = [...(await env.MEDIA.list()).objects, ...(await storedObjects(env.VAULT))]
		const stored = listed.filter(({ key }) => key.includes('/job_') && !/master-[12]\.m3u8$/.test(key))
		const old = stored.filter(({ key }) => /master-\d+\.m3u8$/.test(key)).slice(0, -1)
		const sum = (some: { size: number }[]) => some.reduce((total, { size }) => total + size, 0)
		expect(row?.bytes).toBe(sum(stored) - sum(old))
		expect(row?.bytes).toBeGreaterThan(before?.bytes ?? 0)
	})

	test('additional codecs neither repeat the event asset.ready nor count minutes again', {
		tags: 'd1',
	}, async () => {
		const machine = await openMachine(world, { info }, 'all', allEncoders)
		await studio.startInspected(machine)
		await machine.drain()
		const readyEvents = await world.deps((d) => d.db.all("select 1 from outbox where type = 'asset.ready'"))
		expect(readyEvents).toHaveLength(1)
		const counters = await world.deps((d) => d.db.all('select metric, value from usage_counters'))
		expect(counters).toEqual([{ metric: 'encode_ms', value: 30_000 }])
	})

	test('additional codecs of a copied source are also encoded in its own size', { tags: 'd1' }, async () => {
		const machine = await openMachine(world, { info: aStandardFilm(30) }, 'all', allEncoders)
		const { assetId } = await studio.startInspected(machine)
		await machine.drain()
		const { renditions } = await studio.asset(assetId)
		const best = (codec: string) => renditions.find((each) => each.codec === codec)
		for (const codec of ['hevc', 'av1'])
			expect(best(codec)).toMatchObject({ quality: best('h264')?.quality, width: best('h264')?.width })
	})

	test('the settings at the planning of the job decide on its additional codecs', {
		tags: 'd1',
	}, async () => {
		const machine = await openMachine(world, { info }, 'all', allEncoders)
		await studio.requestCodecs('h264')
		const { assetId } = await studio.upload()
		await studio.start(assetId)
		await studio.requestCodecs('h264', 'av1')
		const inspect = await machine.claim()
		if (inspect) await machine.perform(inspect)
		await studio.requestCodecs('h264')
		await machine.drain()
		expect(assetCodecs(await studio.asset(assetId))).toEqual(['h264', 'av1'])
	})

	test('additional codecs come after H.264 with early playback too', async () => {
		const machine = await openMachine(world, { info: aStandardFilm(30) }, 'all', allEncoders)
		const { assetId } = await studio.startInspected(machine, { playback: 'early' })
		await workUntil(machine, 'h264')
		expect((await studio.asset(assetId)).renditions).toHaveLength(1)
		expect(assetCodecs(await studio.asset(assetId))).toEqual(['h264'])
		await machine.drain()
		expect(assetCodecs(await studio.asset(assetId))).toEqual(['h264', 'hevc', 'av1'])
	})

	test('the tasks of additional codecs are cancelled when the asset is deleted', { tags: 'd1' }, async () => {
		const machine = await openMachine(world, { info }, 'all', allEncoders)
		const { assetId } = await studio.startInspected(machine)
		await workUntil(machine, 'hevc')
		const task = await machine.claim()
		if (!task) throw new Error('nothing to do')
		await world.ask(deleteAsset, { params: { assetId } }, ada)
		expect((await machine.heartbeat(task)).status).toBe(410)
		expect(await machine.claim()).toBeNull()
	})
})

test('a failing hardware encoder is replaced for its codec alone', async () => {
	const encoders = [...allEncoders, 'h264_nvenc', 'hevc_nvenc', 'av1_nvenc']
	const machine = await openMachine(world, { info }, 'gpu', encoders)
	const { assetId } = await studio.startInspected(machine)
	let failed = false
	for (let task = await machine.claim(); task; task = await machine.claim()) {
		const isFailing: boolean = taskCodec(task.spec) === 'hevc' && !failed
		if (isFailing) machine.behavior.encoder = () => 'libx265'
		else delete machine.behavior.encoder
		failed ||= isFailing
		await machine.perform(task)
	}
	expect(await studio.asset(assetId)).toMatchObject({ job: { status: 'completed', leftOut: [] } })
	const usedEncoders = await world.deps((d) =>
		d.db.all<{ encoder: string }>(
			"select distinct rung.value ->> 'encoder' as encoder from tasks, json_each(tasks.result, '$.rungs') as rung where kind = 'video' order by 1",
		),
	)
	expect(usedEncoders.map(({ encoder }) => encoder)).toEqual(['av1_nvenc', 'h264_nvenc', 'libx265'])
})
