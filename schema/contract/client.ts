import type { z } from 'zod'
import type { Operation } from './operation.ts'

/** What is needed of `fetch`, in words of its own: this folder runs anywhere and knows no platform's types. */
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
	/** Instead of the client's own: a session JWT, an API key or a machine's token. */
	token?: string
	idempotencyKey?: string
}

/** The other side refused, or something between said no in its place (then there is no code). */
export class ApiError extends Error {
	override name = 'ApiError'
	readonly status: number
	/** `X-Error-Code`, a key of `statusOf` (problem.ts) or one that a newer edge knows. */
	readonly code: string | null
	readonly requestId: string | null
	readonly retryAfterSeconds: number | null

	constructor(operationId: string, status: number, header: (name: string) => string | null, text: string) {
		super(`${operationId}: ${status} ${messageIn(text) ?? 'without a message'}`)
		const retryAfter = header('retry-after')
		this.status = status
		this.code = header('x-error-code')
		this.requestId = header('x-request-id')
		this.retryAfterSeconds = retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : null
	}
}

/** One typed caller for every operation of the contract. It tries once: whether to try again is the caller's to know. */
export function createClient<Signal>(options: { baseUrl: string; fetch: Fetch<Signal>; token?: string }) {
	const base = options.baseUrl.replace(/\/+$/, '')
	return {
		async call<const O extends Operation>(
			op: O,
			input: CallInput<O>,
			{ signal, token = options.token, idempotencyKey }: CallOptions<Signal> = {},
		): Promise<CallOutput<O>> {
			const { params, query, body } = input as { params?: Fields; query?: Fields; body?: unknown }
			const answer = await options.fetch(base + pathOf(op, params) + queryText(query), {
				method: op.method.toUpperCase(),
				headers: {
					accept: 'application/json',
					...(token !== undefined && { authorization: `Bearer ${token}` }),
					...(body !== undefined && { 'content-type': 'application/json' }),
					...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
				},
				...(body !== undefined && { body: JSON.stringify(body) }),
				...(signal !== undefined && { signal }),
			})
			const text = await answer.text()
			if (!answer.ok) throw new ApiError(op.id, answer.status, (name) => answer.headers.get(name), text)
			if (!op.response) return undefined as CallOutput<O>
			const parsed = op.response.safeParse(jsonIn(text))
			if (!parsed.success)
				throw new Error(`${op.id}: the answer is not what the contract says`, { cause: parsed.error })
			return parsed.data as CallOutput<O>
		},
	}
}

export type Client<Signal> = ReturnType<typeof createClient<Signal>>

type Fields = Record<string, string | number | boolean | undefined>

const pathOf = (op: Operation, params: Fields = {}) =>
	op.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
		const value = params[name]
		if (value === undefined) throw new Error(`${op.id}: ${name} is missing`)
		return encodeURIComponent(value)
	})

function queryText(query: Fields = {}): string {
	const pairs = Object.entries(query).flatMap(([name, value]) =>
		value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
	)
	return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

function jsonIn(text: string): unknown {
	try {
		return JSON.parse(text)
	} catch {
		return undefined
	}
}

/** Each wire family names its message differently (see edge/http/errors.ts). */
function messageIn(text: string): string | undefined {
	const body = jsonIn(text)
	if (typeof body !== 'object' || body === null) return undefined
	const message = ('error' in body && body.error) || ('detail' in body && body.detail)
	return typeof message === 'string' ? message : undefined
}
