import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { heartbeatMachine } from '#schema/contract/video/fleet.ts'
import { DAY, MINUTE } from '../../../../edge/platform/clock.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { allEncoders, assetCodecs, info, openCodecStudio, taskCodec, workUntil } from './codec-studio.ts'
import { type FakeMachine, openMachine } from './fake-machine.ts'

let world: World
let studio: Awaited<ReturnType<typeof openCodecStudio>>
beforeEach(async () => {
	world = await openWorld()
	studio = await openCodecStudio(world, await world.person())
})

const jobs = () =>
	world.deps((d) =>
		d.db.all<{ status: string; left_out: string | null }>('select status, left_out from jobs'),
	)
const beat = (machine: FakeMachine) =>
	world.ask(heartbeatMachine, { body: { state: 'online', running: 0, load: 0 } }, machine)

describe('an optional codec', () => {
	test('an optional codec is encoded only by machines that can make it', { tags: 'd1' }, async () => {
		const plain = await openMachine(world, { info }, 'plain')
		const { assetId } = await studio.startInspected(plain)
		expect(new Set(await workUntil(plain))).toEqual(new Set(['audio', 'h264', 'stills', 'download']))
		expect((await studio.asset(assetId)).status).toBe('ready')
		const capable = await openMachine(world, { info }, 'capable', allEncoders)
		expect(new Set(await workUntil(capable))).toEqual(new Set(['hevc', 'av1']))
		expect(assetCodecs(await studio.asset(assetId))).toEqual(['h264', 'hevc', 'av1'])
	})

	test('a codec is left out after ten minutes without a machine, and the job reports why', {
		tags: 'd1',
	}, async () => {
		const machine = await openMachine(world, { info }, 'no AV1', ['libx264', 'libx265'])
		const { assetId } = await studio.startInspected(machine)
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
				leftOut: [{ codec: 'av1', reason: expect.stringContaining('no machine') }],
			},
		})
		expect(assetCodecs(asset)).toEqual(['h264', 'hevc'])
	})

	test('a job waits for a codec if a machine that can make it was online within a day', async () => {
		await openMachine(world, { info }, 'capable', allEncoders)
		const plain = await openMachine(world, { info }, 'plain')
		await studio.startInspected(plain)
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
		'a codec is left out after a %s failure, and its objects are deleted',
		{ tags: 'd1' },
		async (reason) => {
			const machine = await openMachine(world, { info }, 'all', allEncoders)
			const { assetId, playbackId } = await studio.startInspected(machine)
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
			expect(assetCodecs(asset)).toEqual(['h264', 'hevc'])
			await world.cron('* * * * *')
			await world.deliver()
			const keys = (await env.MEDIA.list({ prefix: `media/${playbackId}/` })).objects.map(({ key }) => key)
			expect(keys.filter((key) => key.includes('/av1-'))).toEqual([])
			expect(keys.some((key) => key.includes('/hevc-'))).toBe(true)
		},
	)

	test('a codec is left out after its machines repeatedly stop responding', async () => {
		const machine = await openMachine(world, { info }, 'all', allEncoders)
		const { assetId } = await studio.startInspected(machine)
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

	test('a codec is left out if its chunks never match', { tags: 'd1' }, async () => {
		const machine = await openMachine(world, { info }, 'all', allEncoders)
		const { assetId } = await studio.startInspected(machine)
		let first: string | undefined
		for (let task = await machine.claim(); task; task = await machine.claim()) {
			if (taskCodec(task.spec) === 'av1') first ??= task.id
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
		expect(assetCodecs(asset)).toEqual(['h264', 'hevc'])
	})
})
