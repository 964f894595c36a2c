import { beforeEach, describe, expect, test } from 'vitest'
import { openBeatsWorld } from './beats-world.ts'

const MINUTE = 60_000

describe('the last report of a session', () => {
	let world: ReturnType<typeof openBeatsWorld>
	beforeEach(() => {
		world = openBeatsWorld()
	})
	const end = () => {
		world.script().happen('ended')
		world.beats.end()
	}
	/** Ends a session, whose last report gets this answer. */
	const endAnswered = async (answer: typeof world.answer) => {
		await world.begin()
		world.answer = answer
		end()
		await world.wait(1)
		return world.take()
	}
	const refuse = () => ({ status: 503, accepted: undefined })

	test('the last report of a session is sent when the device is online again', async () => {
		await world.begin()
		world.isOnline = false
		await world.play(5 * MINUTE)
		end()
		await world.wait(MINUTE)
		expect(world.take()).toEqual([])
		world.isOnline = true
		world.beats.resume()
		await world.wait(1)
		expect(world.take()).toMatchObject([
			{ kind: 'view_end', sessionId: 'session-1', state: { activity: 'ended', watchedMs: 301_001 } },
		])
		await world.wait(10 * MINUTE)
		expect(world.take()).toEqual([])
	})

	test('the last report is sent without an event when the device is online again', async () => {
		await world.begin()
		world.isOnline = false
		end()
		await world.wait(MINUTE)
		world.isOnline = true
		await world.wait(10_000)
		expect(world.kinds()).toEqual(['view_end'])
	})

	test('the last report is repeated however often the page was hidden meanwhile', async () => {
		await endAnswered(() => null)
		for (let k = 0; k < 20; k++) world.beats.hide()
		world.answer = () => ({})
		world.take()
		await world.wait(MINUTE)
		expect(world.take()).toMatchObject([{ kind: 'view_end', way: 'post' }])
	})

	test('the last report does not shorten the wait that the server requested for other reports', async () => {
		await world.begin()
		world.refuse(429, 10 * MINUTE)
		await world.play(10_000)
		world.answer = () => ({ ...refuse(), retryAfterMs: 0 })
		end()
		await world.wait(1)
		world.answer = () => ({})
		world.take()
		await world.wait(9 * MINUTE)
		expect(world.take()).toEqual([])
	})

	test('the last report is sent although the server asked for a wait', async () => {
		await world.begin()
		world.refuse(429, MINUTE)
		await world.play(10_000)
		world.take()
		end()
		expect(world.kinds()).toEqual(['view_end'])
	})

	test('the last report is repeated unchanged after the wait that the server requested', async () => {
		const sent = await endAnswered(() => ({ ...refuse(), retryAfterMs: 45_000 }))
		await world.wait(44_000)
		world.beats.resume()
		world.beats.hide()
		expect(world.take()).toEqual([])
		world.answer = () => ({})
		await world.wait(10 * MINUTE)
		expect(world.take()).toEqual(sent)
		expect(sent).toHaveLength(1)
	})

	test('the last report is repeated after a lost connection, with the token of a late response', async () => {
		const late = Promise.withResolvers<void>()
		const sent: { kind: string }[] = []
		world = openBeatsWorld({
			async post(body) {
				const [event] = JSON.parse(body).events
				const number = sent.push(event)
				if (number === 1) await late.promise
				if (number === 2) throw new TypeError('Failed to fetch')
				const accepted = { token: 'late', nextBeatMs: 10_000, live: null }
				return { status: 202, retryAfterMs: null, accepted, problem: undefined }
			},
		})
		await world.begin()
		end()
		await world.wait(1)
		late.resolve()
		await world.wait(MINUTE)
		const [, lost, repeated, ...others] = sent
		expect(lost).toMatchObject({ kind: 'view_end' })
		expect(lost).not.toHaveProperty('token')
		expect(repeated).toEqual({ ...lost, token: 'late' })
		expect(others).toEqual([])
	})

	test.each([
		['no answer', () => null],
		['a refusal', refuse],
		['an answer of a proxy', () => ({ accepted: undefined })],
		[
			'an answer that the video is deleted or being processed again',
			() => ({ accepted: undefined, problem: 'not_found' as const }),
		],
		['a refusal without a wait', () => ({ ...refuse(), retryAfterMs: 0 })],
	])('the last report is sent at most ten times after %s', async (_, answer) => {
		const sent = await endAnswered(answer)
		await world.wait(120 * MINUTE)
		sent.push(...world.take())
		expect(sent.length).toBeGreaterThan(7)
		expect(sent.length).toBeLessThanOrEqual(10)
		world.beats.resume()
		world.beats.leave(false)
		expect(world.take()).toEqual([])
	})

	test.each([
		['403', () => ({ status: 403, accepted: undefined })],
		['410', () => ({ status: 410, accepted: undefined })],
		['a session that is closed', () => ({ accepted: undefined, problem: 'session_over' as const })],
		['an event that can not be used', () => ({ accepted: undefined, problem: 'invalid' as const })],
	])('the last report is not repeated after %s', async (_, answer) => {
		expect(await endAnswered(answer)).toHaveLength(1)
		world.beats.resume()
		await world.wait(20 * MINUTE)
		world.beats.leave(false)
		expect(world.take()).toEqual([])
	})

	test('the last report is not repeated until a rejected playback token is replaced', async () => {
		let viewerToken = 'expired'
		world = openBeatsWorld({ viewerToken: () => viewerToken })
		world.answer = () => null
		await world.begin()
		world.reject('playback_token_required')
		end()
		await world.wait(10 * MINUTE)
		world.beats.resume()
		world.beats.hide()
		expect(world.kinds()).toEqual(['view_end'])
		viewerToken = 'renewed'
		world.answer = () => ({})
		await world.wait(10 * MINUTE)
		expect(world.take()).toMatchObject([{ kind: 'view_end', viewerToken: 'renewed' }])
	})

	test('the last report is dropped after half an hour, when the server has closed the session', async () => {
		await endAnswered(refuse)
		world.answer = () => ({})
		world.sleep(31 * MINUTE)
		world.beats.resume()
		await world.wait(60 * MINUTE)
		expect(world.take()).toEqual([])
	})

	test('the last report is not sent if the server has closed the session before the end', async () => {
		await world.begin()
		world.sleep(31 * MINUTE)
		end()
		await world.wait(MINUTE)
		expect(world.take()).toEqual([])
	})

	test('the last report is neither changed nor delayed by another session', async () => {
		await world.begin()
		world.answer = ({ kind }) => (kind === 'view_end' ? null : {})
		end()
		await world.wait(1_000)
		const [lost] = world.take()
		world.beats.begin()
		await world.play(18_000)
		expect(world.reports()).toEqual(['view_start of session-2', 'heartbeat of session-2'])
		world.answer = () => ({})
		await world.play(1_500)
		expect(world.take()).toEqual([lost])
		await world.play(20_000)
		expect(world.reports()).toEqual(['heartbeat of session-2', 'heartbeat of session-2'])
	})

	test('last reports are kept for the newest five sessions that were played offline', async () => {
		world.isOnline = false
		for (let i = 0; i < 6; i++) {
			world.beats.begin()
			end()
		}
		world.isOnline = true
		world.beats.resume()
		await world.wait(10 * MINUTE)
		expect(world.reports()).toEqual([2, 3, 4, 5, 6].map((number) => `view_end of session-${number}`))
	})

	test('the last report is sent as a beacon when the page is closed before the server accepted it', async () => {
		const sent = await endAnswered(() => ({ ...refuse(), retryAfterMs: 5 * MINUTE }))
		world.beats.leave(false)
		// Browsers hide a page after they close it.
		world.beats.hide()
		expect(world.take()).toEqual(sent.map((event) => ({ ...event, way: 'beacon' })))
		expect(sent).toHaveLength(1)
	})

	test('the last report is sent as a beacon beside another one when the page is closed', async () => {
		await endAnswered(() => null)
		world.beats.begin()
		world.beats.leave(false)
		expect(world.reports()).toEqual(['view_end of session-1', 'view_end of session-2'])
	})

	test('the last report is not sent as a beacon after the server has accepted it', async () => {
		await endAnswered(() => ({}))
		world.beats.hide()
		world.beats.leave(false)
		expect(world.take()).toEqual([])
	})

	test('the last report is sent as a beacon when the page is hidden, and repeated until accepted', async () => {
		await endAnswered(() => null)
		world.beats.hide()
		expect(world.take()).toMatchObject([{ kind: 'view_end', way: 'beacon' }])
		world.answer = () => ({})
		await world.wait(10 * MINUTE)
		expect(world.take()).toMatchObject([{ kind: 'view_end', way: 'post' }])
	})

	test('the last report is repeated if the browser kept the page for a return', async () => {
		await endAnswered(() => null)
		world.beats.leave(true)
		expect(world.take()).toMatchObject([{ kind: 'view_end', way: 'beacon' }])
		world.answer = () => ({})
		world.beats.resume()
		await world.wait(10 * MINUTE)
		expect(world.take()).toMatchObject([{ kind: 'view_end', way: 'post' }])
	})
})
