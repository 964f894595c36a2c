import { expect, test } from 'vitest'
import type { Client } from '../../../../edge/http/live-streams/client-stream.ts'
import {
	ADMITTED_MS,
	MAX_WAITING_MESSAGES,
	type Relay,
	relayMessages,
} from '../../../../edge/http/live-streams/relay-messages.ts'
import { REPLACED } from '../../../../edge/platform/live-streams/stream-event.ts'

function relay({
	isAdmitted = () => true,
	whenRead = async () => {},
	onMessage,
}: Partial<Relay> & {
	isAdmitted?: () => boolean
	whenRead?: () => Promise<void>
} = {}) {
	const socket = new EventTarget()
	const written: string[] = []
	const errors: unknown[] = []
	let isGone = false
	let laterMs = 0
	const client: Client = {
		write: (block) => void written.push(block),
		whenRead,
		end: () => {
			isGone = true
		},
		isGone: () => isGone,
	}
	const messages: Relay = {
		onMessage: onMessage ?? (async ({ id, data }) => [{ id, data }]),
		isStillAdmitted: async () => isAdmitted(),
	}
	relayMessages(socket, messages, client, { laterMs: () => laterMs, onError: (error) => errors.push(error) })
	return {
		written,
		errors,
		client,
		pass: (ms: number) => {
			laterMs += ms
		},
		send: (id: number) =>
			socket.dispatchEvent(
				new MessageEvent('message', {
					data: JSON.stringify({ id: `${id}`, topics: [], type: 'x', data: { id } }),
				}),
			),
		close: (code: number) => socket.dispatchEvent(Object.assign(new Event('close'), { code })),
		settle: () => new Promise(setImmediate),
	}
}
const blockOf = (id: number) => `id: ${id}\ndata: {"id":${id}}`

test('the stream of a client that does not read ends when more than 512 messages wait', async () => {
	const { send, client, settle } = relay({ whenRead: () => new Promise(() => {}) })
	for (let id = 1; id <= MAX_WAITING_MESSAGES; id++) send(id)
	await settle()
	expect([MAX_WAITING_MESSAGES, client.isGone()]).toEqual([512, false])
	send(MAX_WAITING_MESSAGES + 1)
	expect(client.isGone()).toBe(true)
})

test('a client that keeps reading gets more than 512 messages, in order', async () => {
	const { send, written, client, settle } = relay()
	for (let id = 1; id <= 2 * MAX_WAITING_MESSAGES; id++) {
		send(id)
		if (id % 100 === 0) await settle()
	}
	await settle()
	expect(client.isGone()).toBe(false)
	expect(written).toEqual(Array.from({ length: 2 * MAX_WAITING_MESSAGES }, (_, index) => blockOf(index + 1)))
})

test('a message is written only after the client has read the previous message', async () => {
	const reads: (() => void)[] = []
	const { send, written, settle } = relay({ whenRead: () => new Promise((resolve) => reads.push(resolve)) })
	send(1)
	send(2)
	await settle()
	expect([written, reads.length]).toEqual([[], 1])
	reads[0]?.()
	await settle()
	expect([written, reads.length]).toEqual([[blockOf(1)], 2])
})

test('permissions are checked again before the first message after 30 seconds, and the stream ends without them', async () => {
	let checks = 0
	let isAllowed = true
	const { send, written, pass, client, settle } = relay({
		isAdmitted: () => {
			checks++
			return isAllowed
		},
	})
	pass(ADMITTED_MS - 1)
	send(1)
	await settle()
	expect(checks).toBe(0)
	pass(1)
	send(2)
	send(3)
	await settle()
	expect(checks).toBe(1)
	isAllowed = false
	pass(ADMITTED_MS)
	send(4)
	send(5)
	await settle()
	expect([written, client.isGone()]).toEqual([[1, 2, 3].map(blockOf), true])
})

test('a replaced stream sends its client the reason as the last message, and other closed streams send none', async () => {
	const replaced = relay()
	replaced.send(1)
	replaced.close(REPLACED)
	const ended = relay()
	ended.close(1000)
	await replaced.settle()
	expect(replaced.written).toEqual([blockOf(1), 'data: {"type":"closed","reason":"replaced"}'])
	expect([ended.written, ended.client.isGone(), replaced.client.isGone()]).toEqual([[], true, true])
})

test('a message that cannot be handled is reported once and ends the stream', async () => {
	const { send, errors, client, settle } = relay({ onMessage: () => Promise.reject(new Error('broken')) })
	send(1)
	send(2)
	await settle()
	expect([errors, client.isGone()]).toEqual([[new Error('broken')], true])
})
