import { beforeEach, describe, expect, test } from 'vitest'
import { openBeatsWorld } from './beats-world.ts'

const MINUTE = 60_000

describe('the beats of a player that is offline or refused', () => {
	let world: ReturnType<typeof openBeatsWorld>
	beforeEach(() => {
		world = openBeatsWorld()
	})

	test('send nothing while the device is offline, and one report when it is online again', async () => {
		await world.begin()
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
		await world.begin()
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
		await world.begin()
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
		await world.begin()
		world.answer = () => ({ status: 429, retryAfterMs: MINUTE, sessions: [] })
		await world.play(10_000)
		world.take()
		world.beats.end()
		expect(world.kinds()).toEqual(['view_end'])
	})

	test('go on with another session after a long time offline', async () => {
		await world.begin()
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
		await world.begin()
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
		await world.begin()
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
})
