import { beforeEach, describe, expect, test } from 'vitest'
import { readRetryAfter } from '../../../../../edge/web/player/reporting/post-events.ts'
import { openBeatsWorld } from './beats-world.ts'

const MINUTE = 60_000

describe('the beats of a player', () => {
	let world: ReturnType<typeof openBeatsWorld>
	beforeEach(() => {
		world = openBeatsWorld()
	})

	/** Starts a session, and takes its first report. */
	async function begin() {
		world.beats.begin()
		await world.play(1)
		return world.take()[0]
	}

	test('begin with a report of the start, and repeat at the interval that the server answers', async () => {
		expect(await begin()).toMatchObject({
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

	test('repeat after 10 seconds without an answer, and each contains everything', async () => {
		world.answer = () => null
		const first = await begin()
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
	])('come up to a tenth earlier or later, for the random number %d after %d ms', async (random, ms) => {
		world.random = random
		await begin()
		await world.play(ms - 10)
		expect(world.take()).toEqual([])
		await world.play(20)
		expect(world.take()).toHaveLength(1)
	})

	test('are sent in the first five minutes of a pause, and at once when the video plays again', async () => {
		await begin()
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

	test('begin another session if the viewer comes back after more than 30 minutes', async () => {
		await begin()
		world.script().happen('pause')
		await world.wait(40 * MINUTE)
		world.take()
		world.beats.wake()
		await world.play(1)
		expect(world.take()).toMatchObject([
			{ kind: 'view_start', sessionId: 'session-2', state: { seq: 1, watchedMs: 1_000 } },
		])
	})

	test('begin another session if the machine slept for more than 30 minutes and the video plays on', async () => {
		await begin()
		world.sleep(31 * MINUTE)
		await world.play(11_000)
		expect(world.take()).toEqual([])
		world.beats.wake()
		await world.play(1)
		expect(world.take()).toMatchObject([{ kind: 'view_start', sessionId: 'session-2' }])
	})

	test('send nothing after a sleep of the machine while the video is paused', async () => {
		await begin()
		world.script().happen('pause')
		world.sleep(31 * MINUTE)
		await world.wait(MINUTE)
		expect(world.take()).toEqual([])
	})

	test('go on with the session after a sleep of less than 30 minutes', async () => {
		await begin()
		world.sleep(29 * MINUTE)
		await world.play(11_000)
		expect(world.take()).toMatchObject([{ kind: 'heartbeat', sessionId: 'session-1' }])
	})

	test('report a hidden page at once in a way that outlives it, and go on', async () => {
		await begin()
		await world.play(3_000)
		world.beats.hide()
		expect(world.take()).toMatchObject([
			{ kind: 'heartbeat', way: 'beacon', state: { seq: 2, watchedMs: 4_001 } },
		])
		await world.play(7_000)
		expect(world.take()).toMatchObject([{ way: 'post', state: { seq: 3 } }])
	})

	test('end with a page that is closed', async () => {
		await begin()
		world.beats.leave(false)
		world.beats.hide()
		await world.play(MINUTE)
		expect(world.take()).toMatchObject([{ kind: 'view_end', way: 'beacon' }])
	})

	test('go on with the session if the browser keeps the page for a return', async () => {
		await begin()
		world.beats.leave(true)
		expect(world.take()).toMatchObject([{ kind: 'heartbeat', way: 'beacon' }])
		world.sleep(20 * MINUTE)
		world.beats.resume()
		await world.play(1)
		expect(world.take()).toMatchObject([{ kind: 'heartbeat', sessionId: 'session-1' }])
	})

	test('do not go on with a session that the browser kept for too long', async () => {
		await begin()
		world.beats.leave(true)
		world.take()
		world.sleep(31 * MINUTE)
		world.beats.resume()
		world.beats.hide()
		world.beats.leave(false)
		expect(world.take()).toEqual([])
	})

	test('end once, with the video, and the next play starts another session', async () => {
		await begin()
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

	test('report a video that fails at once as one session', async () => {
		world.beats.begin()
		world.script().record({ kind: 'failed', code: 'manifestLoadError' })
		world.beats.end()
		await world.wait(MINUTE)
		expect(world.take()).toMatchObject([
			{ kind: 'view_end', state: { seq: 1, activity: 'failed', error: 'manifestLoadError' } },
		])
	})

	test('send nothing while the device is offline, and one report when it is online again', async () => {
		await begin()
		world.isOnline = false
		await world.play(MINUTE)
		world.beats.hide()
		expect(world.take()).toEqual([])
		world.isOnline = true
		world.beats.resume()
		await world.play(1)
		expect(world.take()).toMatchObject([{ kind: 'heartbeat', state: { watchedMs: 61_001 } }])
		await world.play(10_000)
		expect(world.take()).toHaveLength(1)
	})

	test.each([429, 500, 503])('wait after %d for as long as the server asks', async (status) => {
		await begin()
		world.answer = () => ({ status, retryAfterMs: 45_000, sessions: [] })
		await world.play(10_000)
		expect(world.take()).toHaveLength(1)
		world.answer = () => ({})
		await world.play(44_000)
		world.beats.hide()
		world.beats.resume()
		expect(world.take()).toEqual([])
		await world.play(2_000)
		expect(world.take()).toHaveLength(1)
		await world.play(10_000)
		expect(world.take()).toHaveLength(1)
	})

	test('wait twice as long after each refusal, and at most five minutes', async () => {
		await begin()
		world.answer = () => ({ status: 503, sessions: [] })
		const times: number[] = []
		for (let sec = 0; sec < 1_500; sec++) {
			await world.play(1_000)
			if (world.take().length > 0) times.push(sec)
		}
		const waits = times.slice(1).map((time, at) => time - (times[at] ?? 0))
		for (const [at, expected] of [20, 40, 80, 160, 300, 300].entries())
			expect(Math.abs((waits[at] ?? 0) - expected)).toBeLessThanOrEqual(1)
	})

	test('send the last report although the server asked to wait', async () => {
		await begin()
		world.answer = () => ({ status: 429, retryAfterMs: MINUTE, sessions: [] })
		await world.play(10_000)
		world.take()
		world.beats.end()
		expect(world.kinds()).toEqual(['view_end'])
	})

	test('go on with another session after a long time offline', async () => {
		await begin()
		world.isOnline = false
		await world.play(31 * MINUTE)
		world.take()
		world.isOnline = true
		world.beats.resume()
		world.beats.wake()
		await world.play(1)
		expect(world.take()).toMatchObject([{ kind: 'view_start', sessionId: 'session-2' }])
	})

	test('begin another session when the server has closed theirs, but not again and again', async () => {
		await begin()
		world.take()
		world.answer = () => ({ sessions: [], isOver: true })
		await world.play(MINUTE)
		const kinds = world.take().map(({ kind, sessionId }) => `${kind} of ${sessionId}`)
		expect(kinds.slice(0, 2)).toEqual(['heartbeat of session-1', 'view_start of session-2'])
		expect(new Set(kinds.slice(1).map((kind) => kind.split(' of ')[1]))).toEqual(new Set(['session-2']))
		expect(kinds.length).toBeLessThan(9)
	})

	test.each([403, 410])('stop for good after %d', async (status) => {
		world.answer = () => ({ status, sessions: [] })
		await begin()
		expect(world.lives).toEqual([null])
		await world.play(MINUTE)
		world.beats.wake()
		world.beats.resume()
		world.beats.hide()
		world.beats.leave(true)
		world.beats.end()
		world.beats.begin()
		await world.play(MINUTE)
		expect(world.take()).toEqual([])
	})

	test('show how many people watch, as each answer says', async () => {
		await begin()
		world.live = null
		await world.play(10_000)
		world.live = 12
		await world.play(10_000)
		expect(world.lives).toEqual([7, null, 12])
	})

	test('ignore an answer that comes after another session has begun', async () => {
		const late = Promise.withResolvers<void>()
		let requests = 0
		world = openBeatsWorld({
			async post() {
				const number = ++requests
				if (number === 1) await late.promise
				const session = { sessionId: `session-${number}`, token: 't', nextBeatMs: 10_000, live: number }
				return { status: 202, retryAfterMs: null, sessions: [session], isOver: false }
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

	test('send the token of a signed video', async () => {
		world = openBeatsWorld({ viewerToken: () => 'signed' })
		expect(await begin()).toMatchObject({ viewerToken: 'signed' })
	})
})

test('Retry-After is seconds or a date', () => {
	const now = Date.parse('2026-05-01T12:00:00Z')
	expect(readRetryAfter('120', now)).toBe(120_000)
	expect(readRetryAfter('Fri, 01 May 2026 12:00:30 GMT', now)).toBe(30_000)
	expect(readRetryAfter('Fri, 01 May 2026 11:00:30 GMT', now)).toBe(0)
	expect(readRetryAfter('soon', now)).toBeNull()
	expect(readRetryAfter(null, now)).toBeNull()
})
