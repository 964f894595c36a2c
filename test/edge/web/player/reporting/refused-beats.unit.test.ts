import { beforeEach, describe, expect, test } from 'vitest'
import { openBeatsWorld } from './beats-world.ts'

const MINUTE = 60_000

describe('the beats of a player that is offline or refused', () => {
	let world: ReturnType<typeof openBeatsWorld>
	beforeEach(() => {
		world = openBeatsWorld()
	})

	test('beats stop while the device is offline, and one report follows when it is online again', async () => {
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

	test('beats continue when the device is online again, even without an event of the browser', async () => {
		await world.begin()
		world.isOnline = false
		await world.play(MINUTE)
		world.isOnline = true
		await world.play(10_000)
		expect(world.kinds()).toEqual(['heartbeat'])
	})

	test('beats report once what was played offline if the viewer has been idle since then', async () => {
		await world.begin()
		world.isOnline = false
		await world.play(4 * MINUTE)
		world.script().happen('pause')
		await world.wait(10 * MINUTE)
		world.isOnline = true
		world.beats.resume()
		await world.wait(10 * MINUTE)
		expect(world.take()).toMatchObject([{ kind: 'heartbeat', state: { watchedMs: 241_001 } }])
		expect(world.lives.at(-1)).toBeNull()
	})

	test.each([429, 500, 503])('beats wait after %d for as long as the server requests', async (status) => {
		await world.begin()
		world.refuse(status, 45_000)
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

	test('beats wait twice as long after each refusal, and at most five minutes', async () => {
		await world.begin()
		world.refuse(503)
		const times: number[] = []
		for (let sec = 0; sec < 1_500; sec++) {
			await world.play(1_000)
			if (world.take().length > 0) times.push(sec)
		}
		const waits = times.slice(1).map((time, at) => time - (times[at] ?? 0))
		for (const [at, expected] of [20, 40, 80, 160, 300, 300].entries())
			expect(Math.abs((waits[at] ?? 0) - expected)).toBeLessThanOrEqual(1)
	})

	test('beats do not wait longer because two are refused at the same time', async () => {
		await world.begin()
		world.refuse(503)
		world.beats.resume()
		world.beats.end()
		await world.wait(1)
		expect(world.kinds()).toEqual(['heartbeat', 'view_end'])
		world.answer = () => ({})
		await world.wait(19_000)
		expect(world.take()).toEqual([])
		await world.wait(2_000)
		expect(world.kinds()).toEqual(['view_end'])
	})

	test('beats continue with another session after a long time offline', async () => {
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

	test('beats begin another session when the server has closed theirs, but not repeatedly', async () => {
		await world.begin()
		world.reject('session_over')
		await world.play(MINUTE)
		const reports = world.reports()
		expect(reports.slice(0, 2)).toEqual(['heartbeat of session-1', 'view_start of session-2'])
		expect(new Set(reports.slice(2))).toEqual(new Set(['heartbeat of session-2']))
		expect(reports.length).toBeLessThan(9)
	})

	test('beats begin another session each time that the server closes one which it had accepted', async () => {
		await world.begin()
		world.answer = ({ state }) => (state?.seq === 2 ? { accepted: undefined, problem: 'session_over' } : {})
		await world.play(20_000)
		expect(world.reports()).toEqual([
			'heartbeat of session-1',
			'view_start of session-2',
			'heartbeat of session-2',
			'view_start of session-3',
		])
	})

	test('beats begin another session when the server closed one whose responses were all lost', async () => {
		world.answer = () => null
		await world.begin()
		world.answer = ({ sessionId }) =>
			sessionId === 'session-1' ? { accepted: undefined, problem: 'session_over' } : {}
		await world.play(20_000)
		expect(world.reports()).toEqual([
			'heartbeat of session-1',
			'view_start of session-2',
			'heartbeat of session-2',
		])
	})

	test.each([
		['what they contain', 'invalid'],
		['a video that is deleted or being processed again', 'not_found'],
	] as const)('beats wait longer each time while the server rejects %s', async (_, problem) => {
		world.reject(problem)
		await world.begin()
		await world.play(10 * MINUTE)
		expect(world.take()).toHaveLength(4)
	})

	test('beats are not sent with a playback token that was rejected, but with another one', async () => {
		let viewerToken: string | null = 'expired'
		world = openBeatsWorld({ viewerToken: () => viewerToken })
		world.reject('playback_token_required')
		await world.begin()
		await world.play(10 * MINUTE)
		world.beats.resume()
		world.beats.hide()
		expect(world.take()).toEqual([])
		viewerToken = 'renewed'
		world.answer = () => ({})
		await world.play(10_000)
		expect(world.take()).toMatchObject([
			{ sessionId: 'session-1', viewerToken: 'renewed', state: { seq: 2 } },
		])
		viewerToken = 'expired'
		await world.play(10_000)
		expect(world.take()).toMatchObject([{ sessionId: 'session-1', viewerToken: 'expired' }])
	})

	test('beats send a rejected playback token again with the next session', async () => {
		world = openBeatsWorld({ viewerToken: () => 'token' })
		world.reject('playback_token_required')
		await world.begin()
		world.answer = () => ({})
		world.beats.end()
		await world.wait(1)
		world.take()
		world.beats.begin()
		await world.play(1)
		expect(world.reports()).toEqual(['view_start of session-2'])
	})

	test.each([403, 410])('beats stop for good after %d', async (status) => {
		world.refuse(status)
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
