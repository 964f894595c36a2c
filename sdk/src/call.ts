import type { Client } from './client.ts'
import {
	CanceledError,
	ConnectionError,
	PlayhouseError,
	readError,
	TimeoutError,
	UnexpectedResponseError,
} from './errors.ts'
import {
	type AnyOperation,
	BYTES_BODY,
	type Call,
	type CallOptions,
	CURSOR_PAGED,
	EMPTY,
	EVENT_STREAM,
	FILE,
	IDEMPOTENT,
	JSON_BODY,
	type Operation,
	type WithResponse,
	WRAPPED,
} from './operation.ts'
import { iteratePages } from './pages.ts'
import { composeRequest, type Input, type Request } from './request.ts'
import { choosePauseMs, pause } from './retry.ts'

type Arguments<I> =
	Record<never, never> extends I ? [input?: I, options?: CallOptions] : [input: I, options?: CallOptions]

/** Calls one operation. Sends nothing until the result is awaited or iterated. */
export function call<I, Output, Item>(
	client: Client,
	operation: Operation<I, Output, Item>,
	...[input, options]: Arguments<I>
): Call<Output, Item> {
	const fields = input as Input | undefined
	let sent: Promise<WithResponse<Output>> | undefined
	const withResponse = () => {
		sent ??= send(client, operation, fields, options) as Promise<WithResponse<Output>>
		return sent
	}
	const data = async () => (await withResponse()).data
	return {
		withResponse,
		send: data,
		// biome-ignore lint/suspicious/noThenProperty: a call can be awaited
		then: (resolve: never, reject: never) => data().then(resolve, reject),
		[Symbol.asyncIterator]: () =>
			iteratePages(operation[0], fields, (page) => send(client, operation, page, options)),
	} as unknown as Call<Output, Item>
}

/** Sends a call. Retries retryable errors, if a second request can't repeat the effect of the first. */
export async function send(
	client: Client,
	operation: AnyOperation,
	input: Input | undefined,
	options: CallOptions = {},
): Promise<WithResponse<unknown>> {
	const [route, bits = 0] = operation
	const request = composeRequest(operation, input)
	const isIdempotent = bits & IDEMPOTENT
	if (options.idempotencyKey && !isIdempotent)
		throw new TypeError(`${route} takes no idempotency key; remove idempotencyKey`)
	const key = isIdempotent ? (options.idempotencyKey ?? createKey()) : undefined
	const canRepeat = (key || request.method === 'GET') && !(request.body instanceof ReadableStream)
	const retries = canRepeat ? (options.retries ?? client.retries) : 0
	for (let tries = 1; ; tries++)
		try {
			return await trySending(client, route, bits, request, key, options)
		} catch (error) {
			const ms = choosePauseMs(error, tries, retries)
			if (ms === undefined) throw error
			if (!(await pause(ms, options.signal))) throw cancel(route, options)
		}
}

const cancel = (route: string, { signal }: CallOptions) =>
	new CanceledError(`${route}: the signal ended the call`, { cause: signal?.reason })

async function trySending(
	client: Client,
	route: string,
	bits: number,
	{ method, path, body: sent }: Request,
	key: string | undefined,
	options: CallOptions,
): Promise<WithResponse<unknown>> {
	const authorization = await client.authorize()
	// Allows time to send the body at 64 kB/s; a body of unknown size gets about 9 hours.
	const sendingMs = bits & BYTES_BODY ? ((sent as Blob).size ?? 2e9) / 64 : 0
	const { signal, timeoutMs = client.timeoutMs + sendingMs } = options
	const late = new AbortController()
	const timer = setTimeout(() => late.abort(), timeoutMs)
	const isStreamed = bits & (FILE | EVENT_STREAM)
	try {
		const response = await client.fetch(client.baseUrl + path, {
			method,
			headers: {
				accept: bits & EVENT_STREAM ? 'text/event-stream' : isStreamed ? '*/*' : 'application/json',
				...(bits & (JSON_BODY | BYTES_BODY) && {
					'content-type': bits & JSON_BODY ? 'application/json' : 'application/octet-stream',
				}),
				...(key && { 'idempotency-key': key }),
				...client.headers,
				...options.headers,
				...(authorization && { authorization }),
			},
			...(sent !== undefined && { body: sent }),
			...(sent instanceof ReadableStream && { duplex: 'half' }),
			// A redirect could send the credential to another host.
			redirect: 'manual',
			signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
		} as RequestInit)
		const { status, headers } = response
		const requestId = headers.get('x-request-id')
		if (status >= 400) throw readError(route, response, await response.text())
		const isRedirect = status < 200 || status >= 300
		const body = isStreamed ? undefined : readBody(bits, await response.text())
		const data = isStreamed ? response : bits & WRAPPED ? body?.data : body
		if (isRedirect || (data === undefined && !(bits & EMPTY)))
			throw new UnexpectedResponseError(
				`${route}: ${isRedirect ? 'a redirect' : 'the response'} is not from the API; check baseUrl and proxies`,
				{ status, requestId },
			)
		return {
			data,
			response,
			requestId,
			nextCursor: (bits & CURSOR_PAGED && body?.next) || headers.get('x-next-cursor'),
		}
	} catch (error) {
		if (error instanceof PlayhouseError) throw error
		if (signal?.aborted) throw cancel(route, options)
		if (late.signal.aborted)
			throw new TimeoutError(`${route}: no response within ${timeoutMs} ms; retry, or increase timeoutMs`)
		throw new ConnectionError(`${route}: no response; check the network and baseUrl`, { cause: error })
	} finally {
		clearTimeout(timer)
	}
}

type Body = { data?: unknown; next?: string | null }

/** Returns undefined if there is no body, or it can't come from the API. Accepts unknown fields and values. */
function readBody(bits: number, text: string): Body | undefined {
	try {
		return bits & EMPTY ? undefined : JSON.parse(text)
	} catch {
		return undefined
	}
}

/** Pages over http lack `crypto.randomUUID`. */
const createKey = (): string =>
	crypto
		.getRandomValues(new Uint8Array(16))
		.reduce((key, byte) => key + byte.toString(16).padStart(2, '0'), '')
