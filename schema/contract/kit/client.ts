import type { z } from 'zod'
import type { Operation } from './operation.ts'
import { trimEnd } from './trim-end.ts'

/** The part of `fetch` that the client uses. This folder runs on every platform, so it can't use the types of one. */
type Fetch<Signal> = (
	url: string,
	init: { method: string; headers: Record<string, string>; body?: string; signal?: Signal },
) => Promise<{
	ok: boolean
	status: number
	headers: { get(name: string): string | null }
	text(): Promise<string>
}>

type Part<Key extends string, S> = S extends z.ZodType
	? Record<never, never> extends z.input<S>
		? { [K in Key]?: z.input<S> }
		: { [K in Key]: z.input<S> }
	: unknown

export type CallInput<O extends Operation> = Part<'params', O['params']> &
	Part<'query', O['query']> &
	(O extends { bodyOptional: true } ? Partial<Part<'body', O['body']>> : Part<'body', O['body']>)

export type CallOutput<O extends Operation> = O extends { response: infer R extends z.ZodType }
	? z.output<R>
	: undefined

export type CallOptions<Signal> = {
	signal?: Signal
	/** A session JWT, an API key or a machine token, in place of the client's own token. */
	token?: string
	idempotencyKey?: string
	/** The trace that the call belongs to, in the form of W3C Trace Context. */
	traceparent?: string
}

/** An error response of the API. `code` is null if a proxy between client and API responded instead. */
export class ApiError extends Error {
	override name = 'ApiError'
	readonly status: number
	/** `X-Error-Code`: a key of `statusByCode` (problem.ts), or a newer one that this client does not know. */
	readonly code: string | null
	readonly requestId: string | null
	/** `X-Error-Fields`: the invalid fields, parameters or headers. */
	readonly fields: readonly string[]
	readonly retryAfterSeconds: number | null

	constructor(operationId: string, status: number, header: (name: string) => string | null, text: string) {
		super(`${operationId}: ${status} ${errorMessage(text) ?? 'without a message'}`)
		const retryAfter = header('retry-after')
		this.status = status
		this.code = header('x-error-code')
		this.fields = header('x-error-fields')?.split(', ') ?? []
		this.requestId = header('x-request-id')
		this.retryAfterSeconds = retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : null
	}
}

/** Returns a typed client for every operation of the contract. It never retries: the caller knows whether that is safe. */
export function createClient<Signal>(options: { baseUrl: string; fetch: Fetch<Signal>; token?: string }) {
	const base = trimEnd(options.baseUrl, '/')
	return {
		async call<const O extends Operation>(
			op: O,
			input: CallInput<O>,
			{ signal, token = options.token, idempotencyKey, traceparent }: CallOptions<Signal> = {},
		): Promise<CallOutput<O>> {
			const { params, query, body } = input as { params?: Fields; query?: Fields; body?: unknown }
			const response = await options.fetch(base + requestPath(op, params) + queryString(query), {
				method: op.method.toUpperCase(),
				headers: {
					accept: 'application/json',
					...(token !== undefined && { authorization: `Bearer ${token}` }),
					...(body !== undefined && { 'content-type': 'application/json' }),
					...(traceparent !== undefined && { traceparent }),
					...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
				},
				...(body !== undefined && { body: JSON.stringify(body) }),
				...(signal !== undefined && { signal }),
			})
			const text = await response.text()
			if (!response.ok) throw new ApiError(op.id, response.status, (name) => response.headers.get(name), text)
			if (!op.response) return undefined as CallOutput<O>
			const parsed = op.response.safeParse(parseJson(text))
			if (!parsed.success)
				throw new Error(`${op.id}: the response does not match the contract`, { cause: parsed.error })
			return parsed.data as CallOutput<O>
		},
	}
}

export type Client<Signal> = ReturnType<typeof createClient<Signal>>

type Fields = Record<string, string | number | boolean | undefined>

const requestPath = (op: Operation, params: Fields = {}) =>
	op.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
		const value = params[name]
		if (value === undefined) throw new Error(`${op.id}: ${name} is missing`)
		return encodeURIComponent(value)
	})

function queryString(query: Fields = {}): string {
	const pairs = Object.entries(query).flatMap(([name, value]) =>
		value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
	)
	return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text)
	} catch {
		return undefined
	}
}

/** The field with the message differs between wire families; see edge/http/errors.ts. */
function errorMessage(text: string): string | undefined {
	const body = parseJson(text)
	if (typeof body !== 'object' || body === null) return undefined
	const message = ('error' in body && body.error) || ('detail' in body && body.detail)
	return typeof message === 'string' ? message : undefined
}
