import { send } from './call.ts'
import type { Client } from './client.ts'
import { UnexpectedResponseError } from './errors.ts'
import type { AnyOperation, CallOptions } from './operation.ts'
import type { Input } from './request.ts'
import { pause } from './retry.ts'

/** One event of a stream. `data` is parsed if it is JSON. */
export type ServerSentEvent = { id: string | undefined; event: string; data: unknown }

const FIRST_PAUSE_MS = 1_000

/**
 * Yields the events of a stream. Reconnects after a lost connection and resumes after the last event. Ends when the server
 * has no more events (204), or with the signal.
 */
export async function* readEventStream(
	client: Client,
	operation: AnyOperation,
	input?: Input,
	options: CallOptions = {},
): AsyncGenerator<ServerSentEvent> {
	const { signal } = options
	let lastEventId: string | undefined
	let pauseMs = FIRST_PAUSE_MS
	do {
		const resumed = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
		const headers = { ...resumed, ...options.headers }
		const { response } = await send(client, operation, input, { ...options, headers })
		if (response.status === 204 || response.body === null) return
		if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
			throw new UnexpectedResponseError(
				`${operation[0]}: the response is no stream of events; check baseUrl and proxies`,
			)
		try {
			for await (const { retry, ...event } of parseEvents(response.body)) {
				if (event.id !== undefined) lastEventId = event.id
				if (retry !== undefined) pauseMs = retry
				if (event.data !== undefined) yield event
			}
		} catch {
			// The connection was lost, or the signal was aborted. In the second case, the pause below also ends the loop.
		}
	} while (await pause(pauseMs, signal))
}

type Parsed = ServerSentEvent & { retry?: number }

/** Parses an event stream (HTML standard, section 9.2.6). */
export async function* parseEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<Parsed> {
	const reader = body
		.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
		.getReader()
	let rest = ''
	try {
		for (;;) {
			const { done, value } = await reader.read()
			if (done) return
			// A line feed after this carriage return may be in the next chunk.
			const blocks = (rest + value).replace(/\r\n|\r(?!$)/g, '\n').split('\n\n')
			rest = blocks.pop() ?? ''
			for (const block of blocks) yield parseBlock(block)
		}
	} finally {
		await reader.cancel().catch(() => {})
	}
}

function parseBlock(block: string): Parsed {
	const parsed: Parsed = { id: undefined, event: 'message', data: undefined }
	const data: string[] = []
	for (const line of block.split('\n')) {
		const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
		if (name === 'data') data.push(value)
		else if (name === 'event') parsed.event = value
		else if (name === 'id') parsed.id = value
		else if (name === 'retry' && /^\d+$/.test(value)) parsed.retry = Number(value)
	}
	if (data.length > 0) parsed.data = parseData(data.join('\n'))
	return parsed
}

function parseData(text: string): unknown {
	try {
		return JSON.parse(text)
	} catch {
		return text
	}
}
