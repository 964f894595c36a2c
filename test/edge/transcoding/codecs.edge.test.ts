import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { updateEncodingSettings } from '#schema/contract/platform/settings/settings.ts'
import { deleteAsset } from '#schema/contract/video/assets.ts'
import { heartbeatMachine } from '#schema/contract/video/fleet.ts'
import { getPlayback } from '#schema/contract/video/playback.ts'
import type { TaskSpecOf } from '#schema/contract/video/tasks.ts'
import { DAY, MINUTE } from '../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../support/edge/world.ts'
import { type FakeMachine, openMachine } from './fake-machine.ts'
import { aFilm, aStandardFilm } from './sources.ts'
import { openStudio } from './transcoding-fixture.ts'

let world: World
let ada: Person
let studio: ReturnType<typeof openStudio>
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	studio = openStudio(world, ada)
	await requestCodecs('h264', 'hevc', 'av1')
})

/** A source of two chunks. */
const info = aFilm(30)
const allEncoders = ['libx264', 'libx265', 'libsvtav1']
const requestCodecs = (...codecs: ('h264' | 'hevc' | 'av1')[]) =>
	world.ask(updateEncodingSettings, { body: { codecs } }, ada)

async function startInspected(machine: FakeMachine, body?: { playback: 'early' }) {
	const video = await studio.upload()
	await studio.start(video.assetId, body)
	const task = await machine.claim()
	if (task?.spec.kind !== 'inspect') throw new Error('nothing to inspect')
	await machine.perform(task)
	return video
}

const codecOf = (spec: { kind: string }) =>
	spec.kind === 'video' ? ((spec as TaskSpecOf<'video'>).rungs[0]?.codec ?? '') : spec.kind

/** Performs tasks until the next one is of one of these codecs or kinds. Returns those of the performed tasks. */
async function workUntil(machine: FakeMachine, ...ends: string[]): Promise<string[]> {
	const done: string[] = []
	for (let task = await machine.claim(); task; task = await machine.claim()) {
		if (ends.includes(codecOf(task.spec))) {
			await machine.release(task)
			break
		}
		expect((await machine.perform(task)).status).toBe(200)
		done.push(codecOf(task.spec))
	}
	return done
}
const codecsOf = (asset: { renditions: { codec: string }[] }) => [
	...new Set(asset.renditions.map(({ codec }) => codec)),
]
const jobs = () =>
	world.deps((d) =>
		d.db.all<{ status: string; left_out: string | null }>('select status, left_out from jobs'),
	)
const beat = (machine: FakeMachine) =>
	world.ask(heartbeatMachine, { body: { state: 'online', running: 0, load: 0 } }, machine)
const masterOf = async (playbackId: string) => {
	const { manifestUrl } = (await world.ask(getPlayback, { params: { playbackId } })).ok.data
	return (await world.fetch(new Request(manifestUrl))).text()
}

describe('additional codecs', () => {
	test('are encoded in order after everything that makes the video playable, and are then added to it', async () => {
		const machine = await openMachine(world, { info }, 'all', allEncoders)
		const { assetId, playbackId } = await startInspected(machine)
		const first = await workUntil(machine, 'hevc')
		expect(new Set(first)).toEqual(new Set(['audio', 'h264', 'stills', 'download']))
		expect(first.lastIndexOf('stills')).toBeLessThan(first.indexOf('download'))
		const whole = await studio.asset(assetId)
		expect(whole).toMatchObject({ status: 'ready', job: { status: 'processing' }, currentStep: 'encoding' })
		expect(codecsOf(whole)).toEqual(['h264'])
		const bytes = () =>
			world.deps((d) => d.db.all<{ bytes: number }>('select media_bytes as bytes from assets'))
		const [before] = await bytes()

		await workUntil(machine, 'av1')
		expect(codecsOf(await studio.asset(assetId))).toEqual(['h264', 'hevc'])
		expect(new Set(await workUntil(machine))).toEqual(new Set(['av1']))
		const done = await studio.asset(assetId)
		expect(done).toMatchObject({ status: 'ready', job: { status: 'completed', leftOut: [], progress: 100 } })
		expect(codecsOf(done)).toEqual(['h264', 'hevc', 'av1'])
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
		const listed = [...(await env.MEDIA.list()).objects, ...(await env.VAULT.list()).objects]
		const stored = listed.filter(({ key }) => key.includes('/job_') && !/master-[12]\.m3u8$/.test(key))
		const old = stored.filter(({ key }) => /master-\d+\.m3u8$/.test(key)).slice(0, -1)
		const sum = (some: { size: number }[]) => some.reduce((total, { size }) => total + size, 0)
		expect(row?.bytes).toBe(sum(stored) - sum(old))
		expect(row?.bytes).toBeGreaterThan(before?.bytes ?? 0)
	})

	test('neither repeat the event asset.ready nor count minutes again', async () => {
		const machine = await openMachine(world, { info }, 'all', allEncoders)
		await startInspected(machine)
		await machine.drain()
		const readyEvents = await world.deps((d) => d.db.all("select 1 from outbox where type = 'asset.ready'"))
		expect(readyEvents).toHaveLength(1)
		const counters = await world.deps((d) => d.db.all('select metric, value from usage_counters'))
		expect(counters).toEqual([{ metric: 'encode_ms', value: 30_000 }])
	})

	test('of a copied source are also encoded in its own size', async () => {
		const machine = await openMachine(world, { info: aStandardFilm(30) }, 'all', allEncoders)
		const { assetId } = await startInspected(machine)
		await machine.drain()
		const { renditions } = await studio.asset(assetId)
		const best = (codec: string) => renditions.find((each) => each.codec === codec)
		for (const codec of ['hevc', 'av1'])
			expect(best(codec)).toMatchObject({ quality: best('h264')?.quality, width: best('h264')?.width })
	})

	test('are taken from the settings when the job is planned', async () => {
		const machine = await openMachine(world, { info }, 'all', allEncoders)
		await requestCodecs('h264')
		const { assetId } = await studio.upload()
		await studio.start(assetId)
		await requestCodecs('h264', 'av1')
		const inspect = await machine.claim()
		if (inspect) await machine.perform(inspect)
		await requestCodecs('h264')
		await machine.drain()
		expect(codecsOf(await studio.asset(assetId))).toEqual(['h264', 'av1'])
	})

	test('come after H.264 with early playback too', async () => {
		const machine = await openMachine(world, { info: aStandardFilm(30) }, 'all', allEncoders)
		const { assetId } = await startInspected(machine, { playback: 'early' })
		await workUntil(machine, 'h264')
		expect((await studio.asset(assetId)).renditions).toHaveLength(1)
		expect(codecsOf(await studio.asset(assetId))).toEqual(['h264'])
		await machine.drain()
		expect(codecsOf(await studio.asset(assetId))).toEqual(['h264', 'hevc', 'av1'])
	})

	test('are cancelled when the asset is deleted', async () => {
		const machine = await openMachine(world, { info }, 'all', allEncoders)
		const { assetId } = await startInspected(machine)
		await workUntil(machine, 'hevc')
		const task = await machine.claim()
		if (!task) throw new Error('nothing to do')
		await world.ask(deleteAsset, { params: { assetId } }, ada)
		expect((await machine.heartbeat(task)).status).toBe(410)
		expect(await machine.claim()).toBeNull()
	})
})

describe('a codec that some machines cannot make', () => {
	test('is encoded only by machines that can make it', async () => {
		const plain = await openMachine(world, { info }, 'plain')
		const { assetId } = await startInspected(plain)
		expect(new Set(await workUntil(plain))).toEqual(new Set(['audio', 'h264', 'stills', 'download']))
		expect((await studio.asset(assetId)).status).toBe('ready')
		const capable = await openMachine(world, { info }, 'capable', allEncoders)
		expect(new Set(await workUntil(capable))).toEqual(new Set(['hevc', 'av1']))
		expect(codecsOf(await studio.asset(assetId))).toEqual(['h264', 'hevc', 'av1'])
	})

	test('is left out after ten minutes without a machine, and the job reports why', async () => {
		const machine = await openMachine(world, { info }, 'no AV1', ['libx264', 'libx265'])
		const { assetId } = await startInspected(machine)
		await machine.drain()
		world.pass(9 * MINUTE)
		await beat(machine)
		await world.cron('* * * * *')
		await world.deliver()
		expect(await studio.asset(assetId)).toMatchObject({ job: { status: 'processing' } })
		world.pass(2 * MINUTE)
		await world.cron('* * * * *')
		await world.deliver()
		const asset = await studio.asset(assetId)
		expect(asset).toMatchObject({
			status: 'ready',
			currentStep: null,
			job: {
				status: 'completed',
				progress: 100,
				errorMessage: null,
				leftOut: [{ codec: 'av1', reason: expect.stringContaining('No machine') }],
			},
		})
		expect(codecsOf(asset)).toEqual(['h264', 'hevc'])
	})

	test('is waited for if a machine that can make it was online within a day', async () => {
		await openMachine(world, { info }, 'capable', allEncoders)
		const plain = await openMachine(world, { info }, 'plain')
		await startInspected(plain)
		await workUntil(plain)
		world.pass(DAY - MINUTE)
		await world.cron('* * * * *')
		expect(await jobs()).toMatchObject([{ status: 'processing' }])
		world.pass(2 * MINUTE)
		await openMachine(world, { info }, 'as plain')
		await world.cron('* * * * *')
		await world.deliver()
		const [job] = await jobs()
		expect(job?.status).toBe('completed')
		expect(new Set(Object.keys(JSON.parse(job?.left_out ?? '')))).toEqual(new Set(['hevc', 'av1']))
	})

	test.each(['permanent', 'transient'] as const)(
		'is left out after a %s failure, and its objects are deleted',
		async (reason) => {
			const machine = await openMachine(world, { info }, 'all', allEncoders)
			const { assetId, playbackId } = await startInspected(machine)
			await workUntil(machine, 'av1')
			const good = await machine.claim()
			if (!good) throw new Error('nothing to do')
			await machine.perform(good)
			for (let tries = 0; tries < 4; tries++) {
				const task = await machine.claim()
				if (!task) break
				await machine.fail(task, reason, 'The encoder broke.')
				world.pass(11 * MINUTE)
			}
			await world.deliver()
			await machine.drain()
			const asset = await studio.asset(assetId)
			expect(asset).toMatchObject({
				status: 'ready',
				job: {
					status: 'completed',
					leftOut: [{ codec: 'av1', reason: expect.stringContaining('The encoder broke.') }],
				},
			})
			expect(codecsOf(asset)).toEqual(['h264', 'hevc'])
			await world.cron('* * * * *')
			await world.deliver()
			const keys = (await env.MEDIA.list({ prefix: `media/${playbackId}/` })).objects.map(({ key }) => key)
			expect(keys.filter((key) => key.includes('/av1-'))).toEqual([])
			expect(keys.some((key) => key.includes('/hevc-'))).toBe(true)
		},
	)

	test('is left out after its machines repeatedly stop responding', async () => {
		const machine = await openMachine(world, { info }, 'all', allEncoders)
		const { assetId } = await startInspected(machine)
		await workUntil(machine, 'hevc')
		for (let tries = 0; tries < 4; tries++) {
			await machine.claim()
			world.pass(2 * MINUTE)
			await beat(machine)
		}
		await world.cron('* * * * *')
		await world.deliver()
		await machine.drain()
		const { job } = await studio.asset(assetId)
		expect(job?.leftOut).toMatchObject([
			{ codec: 'hevc', reason: expect.stringContaining('stopped responding') },
		])
	})

	test('is left out if its chunks never match', async () => {
		const machine = await openMachine(world, { info }, 'all', allEncoders)
		const { assetId } = await startInspected(machine)
		let first: string | undefined
		for (let task = await machine.claim(); task; task = await machine.claim()) {
			if (codecOf(task.spec) === 'av1') first ??= task.id
			const isOdd = task.id === first
			if (isOdd) machine.behavior.init = (rung) => `of another version: ${rung}`
			else delete machine.behavior.init
			await machine.perform(task)
		}
		await world.deliver()
		const asset = await studio.asset(assetId)
		expect(asset).toMatchObject({
			status: 'ready',
			job: {
				status: 'completed',
				leftOut: [{ codec: 'av1', reason: expect.stringContaining('do not match') }],
			},
		})
		expect(codecsOf(asset)).toEqual(['h264', 'hevc'])
	})
})

test('a failing hardware encoder is replaced for its codec alone', async () => {
	const encoders = [...allEncoders, 'h264_nvenc', 'hevc_nvenc', 'av1_nvenc']
	const machine = await openMachine(world, { info }, 'gpu', encoders)
	const { assetId } = await startInspected(machine)
	let failed = false
	for (let task = await machine.claim(); task; task = await machine.claim()) {
		const isFailing: boolean = codecOf(task.spec) === 'hevc' && !failed
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
