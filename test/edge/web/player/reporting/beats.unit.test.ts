import { beforeEach, describe, expect, test } from 'vitest'
import { openBeatsWorld } from './beats-world.ts'

const MINUTE = 60_000

describe('the beats of a player', () => {
	let world: ReturnType<typeof openBeatsWorld>
	beforeEach(() => {
		world = openBeatsWorld()
	})

	test('beats begin with a report of the start, and repeat at the interval that the server returns', async () => {
		expect(await world.begin()).toMatchObject({
			kind: 'view_start',
			sessionId: 'session-1',
			player: 'embed',
			reportId: 'report-1',
			referrer: 'https://example.org',
			state: { seq: 1 },
			way: 'post',
		})
		world.nextBeatMs = 30_000
		await world.play(10_000)
		expect(world.take()).toMatchObject([
			{ kind: 'heartbeat', state: { seq: 2 }, token: 'token of session-1 after 1', reportId: 'report-1' },
		])
		await world.play(29_000)
		expect(world.take()).toEqual([])
		await world.play(1_000)
		expect(world.kinds()).toEqual(['heartbeat'])
	})

	test('beats repeat after 10 seconds without a response, and each contains everything', async () => {
		world.answer = () => null
		const first = await world.begin()
		expect(first?.token).toBeUndefined()
		await world.play(30_000)
		const states = world.take().map(({ state }) => [state?.seq, state?.watchedMs])
		expect(states).toEqual([
			[2, 11_000],
			[3, 21_000],
			[4, 31_000],
		])
	})

	test.each([
		[0, 9_000],
		[0.999_999, 11_000],
	])(
		'beats come up to a tenth earlier or later, for the random number %d after %d ms',
		async (random, ms) => {
			world.random = random
			await world.begin()
			await world.play(ms - 10)
			expect(world.take()).toEqual([])
			await world.play(20)
			expect(world.take()).toHaveLength(1)
		},
	)

	test('beats are sent in the first five minutes of a pause, and at once when the video plays again', async () => {
		await world.begin()
		world.nextBeatMs = MINUTE
		await world.play(11_000)
		world.script().happen('pause')
		await world.wait(20 * MINUTE)
		expect(world.take()).toHaveLength(1 + 5)
		expect(world.lives.at(-1)).toBeNull()
		world.beats.wake()
		world.script().happen('play')
		await world.play(1)
		expect(world.take()).toMatchObject([{ kind: 'heartbeat', sessionId: 'session-1' }])
		expect(world.lives.at(-1)).toBe(7)
		await world.play(MINUTE)
		expect(world.take()).toHaveLength(1)
	})

	test('beats begin another session if the viewer returns after more than 30 minutes', async () => {
		await world.begin()
		world.script().happen('pause')
		await world.wait(40 * MINUTE)
		world.take()
		world.beats.wake()
		await world.play(1)
		expect(world.take()).toMatchObject([
			{ kind: 'view_start', sessionId: 'session-2', state: { seq: 1, watchedMs: 1_000 } },
		])
	})

	test('beats begin another session if the machine slept for more than 30 minutes and the video plays on', async () => {
		await world.begin()
		world.sleep(31 * MINUTE)
		await world.play(11_000)
		expect(world.take()).toEqual([])
		world.beats.wake()
		await world.play(1)
		expect(world.take()).toMatchObject([{ kind: 'view_start', sessionId: 'session-2' }])
	})

	test('a sleep of the machine while the video is paused causes no beat', async () => {
		await world.begin()
		world.script().happen('pause')
		world.sleep(31 * MINUTE)
		await world.wait(MINUTE)
		expect(world.take()).toEqual([])
	})

	test('beats continue the session after a sleep of less than 30 minutes', async () => {
		await world.begin()
		world.sleep(29 * MINUTE)
		await world.play(11_000)
		expect(world.take()).toMatchObject([{ kind: 'heartbeat', sessionId: 'session-1' }])
	})

	test('a hidden page sends a beat that outlives it at once, and more beats later', async () => {
		await world.begin()
		await world.play(3_000)
		world.beats.hide()
		expect(world.take()).toMatchObject([
			{ kind: 'heartbeat', way: 'beacon', state: { seq: 2, watchedMs: 4_001 } },
		])
		await world.play(7_000)
		expect(world.take()).toMatchObject([{ way: 'post', state: { seq: 3 } }])
	})

	test('beats end with a page that is closed', async () => {
		await world.begin()
		world.beats.leave(false)
		world.beats.hide()
		await world.play(MINUTE)
		expect(world.take()).toMatchObject([{ kind: 'view_end', way: 'beacon' }])
	})

	test('beats continue the session if the browser keeps the page for a return', async () => {
		await world.begin()
		world.beats.leave(true)
		expect(world.take()).toMatchObject([{ kind: 'heartbeat', way: 'beacon' }])
		world.sleep(20 * MINUTE)
		world.beats.resume()
		await world.play(1)
		expect(world.take()).toMatchObject([{ kind: 'heartbeat', sessionId: 'session-1' }])
	})

	test('beats do not continue a session that the browser kept for too long', async () => {
		await world.begin()
		world.beats.leave(true)
		world.take()
		world.sleep(31 * MINUTE)
		world.beats.resume()
		world.beats.hide()
		world.beats.leave(false)
		expect(world.take()).toEqual([])
	})

	test('beats end once, with the video, and the next play starts another session', async () => {
		await world.begin()
		world.script().happen('ended')
		world.beats.end()
		world.beats.end()
		await world.wait(MINUTE)
		expect(world.take()).toMatchObject([{ kind: 'view_end', way: 'post', state: { activity: 'ended' } }])
		expect(world.lives.at(-1)).toBeNull()
		expect(world.beats.isOver()).toBe(true)
		world.beats.begin()
		await world.play(1)
		expect(world.take()).toMatchObject([{ sessionId: 'session-2', state: { seq: 1 } }])
	})

	test('beats are not due while another report is in flight', async () => {
		const bodies: string[] = []
		world = openBeatsWorld({
			post(body) {
				bodies.push(body)
				if (bodies.length > 1) return new Promise(() => undefined)
				const accepted = { token: 't', nextBeatMs: 10_000, live: null }
				return Promise.resolve({ status: 202, retryAfterMs: null, accepted, problem: undefined })
			},
		})
		await world.begin()
		await world.play(9_000)
		world.beats.resume()
		await world.play(MINUTE)
		expect(bodies).toHaveLength(2)
	})

	test('a video that fails at once is reported as one session', async () => {
		world.beats.begin()
		world.script().record({ kind: 'failed', code: 'manifestLoadError' })
		world.beats.end()
		await world.wait(MINUTE)
		expect(world.take()).toMatchObject([
			{ kind: 'view_end', state: { seq: 1, activity: 'failed', error: 'manifestLoadError' } },
		])
	})

	test('each response to a beat updates the number of viewers', async () => {
		await world.begin()
		world.live = null
		await world.play(10_000)
		world.live = 12
		await world.play(10_000)
		expect(world.lives).toEqual([7, null, 12])
	})

	test('a late response to a beat is ignored after another session has begun', async () => {
		const late = Promise.withResolvers<void>()
		let requests = 0
		world = openBeatsWorld({
			async post() {
				const number = ++requests
				if (number === 1) await late.promise
				const accepted = { token: 't', nextBeatMs: 10_000, live: number }
				return { status: 202, retryAfterMs: null, accepted, problem: undefined }
			},
		})
		world.beats.begin()
		await world.play(1)
		world.beats.end()
		world.beats.begin()
		await world.play(1)
		late.resolve()
		await world.play(1)
		expect(world.lives).not.toContain(1)
	})

	test('beats of a preview contain only the activity and the position', async () => {
		world = openBeatsWorld({ isPreview: true })
		expect(await world.begin()).toMatchObject({ kind: 'view_start', preview: true })
		await world.play(10_000)
		world.beats.hide()
		const [, hidden] = world.take()
		expect(hidden).toMatchObject({ kind: 'heartbeat', way: 'beacon', preview: true })
		expect(JSON.parse(world.bodies.at(-1) ?? '').events[0].state).toEqual({
			...{ seq: 3, activity: 'playing', positionMs: 11_001 },
			...{ watchedMs: 0, played: [] },
		})
	})

	test('beats do not mention previews otherwise', async () => {
		expect(await world.begin()).not.toHaveProperty('preview')
	})

	test('beats send the token of a signed video', async () => {
		world = openBeatsWorld({ viewerToken: () => 'signed' })
		expect(await world.begin()).toMatchObject({ viewerToken: 'signed' })
	})
})
