import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type StreamedState, type StreamedStates, streamStates } from '../../../edge/http/event-stream.ts'

const SECOND = 1_000

beforeEach(() => {
	vi.useFakeTimers({ toFake: ['setTimeout'] })
})
afterEach(() => {
	vi.useRealTimers()
})

/** Reads what changes after some seconds. */
const readEach = (...ids: (string | null)[]) =>
	vi.fn(async (laterMs: number) => {
		const id = ids[Math.min(laterMs / SECOND, ids.length - 1)] ?? null
		return id === null ? null : { id, data: { id } }
	})

const states = (more: Partial<StreamedStates>) => ({
	event: 'count',
	read: readEach('a'),
	pollEveryMs: SECOND,
	lifeMs: 40 * SECOND,
	retryMs: 3_000,
	lastEventId: null,
	isStillAdmitted: vi.fn(async () => true),
	admitEveryMs: 0,
	onError: vi.fn(),
	onEnd: vi.fn(async () => {}),
	...more,
})
const eventOf = (id: string) => `id: ${id}\nevent: count\ndata: {"id":"${id}"}`

/** Returns the messages of a whole stream. */
async function messagesOf(of: StreamedStates): Promise<string[]> {
	const text = streamStates(of).text()
	text.catch(() => {})
	await vi.advanceTimersByTimeAsync(60 * SECOND)
	return (await text).split('\n\n').slice(0, -1)
}

describe('a stream of states', () => {
	test('an event stream sends the state at once and after each change, and comments in between', async () => {
		const read = readEach('a', 'a', 'b', 'b', 'a')
		const all = ['retry: 3000', eventOf('a'), eventOf('b'), eventOf('a'), ': still here', ': still here']
		expect(await messagesOf(states({ read }))).toEqual(all)
		expect(read).toHaveBeenCalledTimes(40)
	})

	test('an event stream does not repeat the state that the client already has', async () => {
		const read = readEach('a', 'b', null)
		expect(await messagesOf(states({ read, lastEventId: 'a' }))).toEqual(['retry: 3000', eventOf('b')])
	})

	test('an event stream ends after the last state, and calls its end handler once', async () => {
		const read = vi.fn(async () => ({ id: 'a', data: { id: 'a' }, isLast: true }))
		const of = states({ read })
		expect(await messagesOf(of)).toEqual(['retry: 3000', eventOf('a')])
		expect(read).toHaveBeenCalledTimes(1)
		expect(of.onEnd).toHaveBeenCalledTimes(1)
	})

	test('an event stream sends nothing more once the client is not admitted', async () => {
		const isStillAdmitted = vi.fn(async (laterMs: number) => laterMs < 2 * SECOND)
		const of = states({ read: readEach('a', 'b', 'c', 'd'), isStillAdmitted })
		expect(await messagesOf(of)).toEqual(['retry: 3000', eventOf('a'), eventOf('b')])
		expect(isStillAdmitted.mock.calls).toEqual([[SECOND], [2 * SECOND]])
		expect(of.onEnd).toHaveBeenCalledTimes(1)
	})

	test('an event stream checks the client before messages, and not too often', async () => {
		const isStillAdmitted = vi.fn(async () => true)
		const read = readEach(...'abcdefghijklmnopqrstuvwxyz', null)
		await messagesOf(states({ read, isStillAdmitted, admitEveryMs: 10 * SECOND }))
		expect(isStillAdmitted.mock.calls).toEqual([[10 * SECOND], [20 * SECOND]])
	})

	test('an event stream stops reading states after the client has left', async () => {
		const read = readEach('a')
		const of = states({ read })
		const reader = streamStates(of).body?.getReader()
		await vi.advanceTimersByTimeAsync(2 * SECOND)
		await reader?.cancel()
		const reads = read.mock.calls.length
		await vi.advanceTimersByTimeAsync(60 * SECOND)
		expect(read).toHaveBeenCalledTimes(reads)
		expect(of.onEnd).toHaveBeenCalledTimes(1)
		expect(of.onError).not.toHaveBeenCalled()
	})

	test('the client may leave an event stream during a read without an error', async () => {
		const reading = Promise.withResolvers<StreamedState>()
		const of = states({ read: () => reading.promise })
		const reader = streamStates(of).body?.getReader()
		await reader?.cancel()
		reading.resolve({ id: 'a', data: 'a' })
		await vi.advanceTimersByTimeAsync(60 * SECOND)
		expect(of.onEnd).toHaveBeenCalledTimes(1)
		expect(of.onError).not.toHaveBeenCalled()
	})

	test('an event stream breaks off if the state cannot be read, so that the client reconnects', async () => {
		const error = new Error('unreachable')
		const of = states({ read: () => Promise.reject(error) })
		await expect(messagesOf(of)).rejects.toThrow('unreachable')
		expect(of.onError).toHaveBeenCalledWith(error)
		expect(of.onEnd).toHaveBeenCalledTimes(1)
	})
})
