import { expect, test } from 'vitest'
import { HEARTBEAT_MS, LIFE_MS, openClientStream } from '../../../../edge/http/live-streams/client-stream.ts'
import { createHandTimers } from '../../platform/live-streams/hand-timers.ts'

function open(endsInMs: number) {
	const timers = createHandTimers()
	let ended = 0
	const { body, client } = openClientStream({ endsInMs, onEnd: () => void ended++ }, timers)
	const reader = body.pipeThrough(new TextDecoderStream()).getReader()
	return { timers, client, reader, countEnds: () => ended, next: async () => (await reader.read()).value }
}

test('a stream ends after an hour, even if its credential is valid for longer', async () => {
	const { timers, client, countEnds } = open(2 * LIFE_MS)
	timers.pass(LIFE_MS - 1)
	expect([client.isGone(), countEnds()]).toEqual([false, 0])
	timers.pass(1)
	expect([client.isGone(), countEnds(), timers.count()]).toEqual([true, 1, 0])
})

test('a stream ends when its credential expires within the hour, and its client sees the end', async () => {
	const { timers, next, countEnds } = open(1_000)
	timers.pass(1_000)
	expect(await next()).toBe('retry: 5000\n\n')
	expect(await next()).toBeUndefined()
	expect(countEnds()).toBe(1)
})

test('a stream sends an empty comment every 15 seconds', async () => {
	const { timers, next } = open(LIFE_MS)
	await next()
	timers.pass(HEARTBEAT_MS - 1)
	timers.pass(1)
	expect(await next()).toBe(':\n\n')
	timers.pass(HEARTBEAT_MS)
	expect(await next()).toBe(':\n\n')
})

test('a stream whose client disconnects stops its timers and ends once', async () => {
	const { timers, client, reader, countEnds } = open(LIFE_MS)
	await reader.cancel()
	client.end()
	client.write('late')
	expect([timers.count(), countEnds(), client.isGone()]).toEqual([0, 1, true])
})

test('a stream waits for its client to read before it writes more', async () => {
	const timers = createHandTimers()
	const { body, client } = openClientStream({ endsInMs: LIFE_MS, onEnd: () => {} }, timers)
	let isRead = false
	const reading = client.whenRead().then(() => {
		isRead = true
	})
	await new Promise(setImmediate)
	expect(isRead).toBe(false)
	const reader = body.getReader()
	await reader.read()
	await reading
	client.write('data: 1')
	const waiting = client.whenRead()
	client.end()
	await waiting
})
