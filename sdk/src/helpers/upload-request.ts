import { type Client, globalFetch } from '../client.ts'
import {
	CanceledError,
	ConnectionError,
	PlayhouseError,
	readError,
	readRetryAfter,
	TimeoutError,
	UnexpectedResponseError,
} from '../errors.ts'
import { choosePauseMs, pause } from '../retry.ts'
import { composeBody } from './upload-body.ts'
import type { BodylessRequest, BodyWatch, UploadBody } from './upload-parts.ts'
import { sendByXhr } from './xhr-request.ts'

type Cancelable = { signal?: AbortSignal }

/** Failures in a row without progress, after which an upload ends with the error. Its state stays valid. */
const MAX_FAILURES = 8

/** The slowest upload that is not cut off: 64 bytes per millisecond, which is 64 kB per second. */
const BYTES_PER_MS = 64

/** The server reports no byte more than before. It may be busy with the request before. */
export class NoProgressError extends UnexpectedResponseError {
	constructor({ status, headers }: Response) {
		super('PATCH of the upload: the server stored nothing of the chunk; continue with its state', {
			status,
			retryAfterSec: readRetryAfter(headers.get('retry-after')),
		})
	}
}

export const tusHeaders = (token: string) => ({
	authorization: `Bearer ${token}`,
	'Tus-Resumable': '1.0.0',
})

export const pickSignal = ({ signal }: Cancelable) => (signal ? { signal } : {})

export type UploadRequest = {
	headers: Record<string, string>
	body?: UploadBody
	/** Called with the bytes of the body that were sent. */
	onSent?: (bytes: number) => void
}

export async function request(
	client: Client,
	method: string,
	url: string,
	{ headers, body, onSent }: UploadRequest,
	{ signal }: Cancelable,
): Promise<Response> {
	const limitMs = client.timeoutMs + Math.ceil((body?.size ?? 0) / BYTES_PER_MS)
	const late = new AbortController()
	const timer = setTimeout(() => late.abort(), limitMs)
	const watch: BodyWatch = onSent ? { onSent } : {}
	try {
		const signals = signal ? AbortSignal.any([signal, late.signal]) : late.signal
		const init = { method, headers, signal: signals }
		const response = await sendParts(client, url, init, body, watch)
		if (!response.ok) throw readError(`${method} of the upload`, response, await response.text())
		await response.body?.cancel()
		return response
	} catch (error) {
		if (watch.failure) throw watch.failure
		if (error instanceof PlayhouseError) throw error
		if (signal?.aborted) throw new CanceledError('the signal ended the upload', { cause: signal.reason })
		if (late.signal.aborted)
			throw new TimeoutError(`${method} of the upload: no response within ${limitMs} ms; check the network`)
		throw new ConnectionError('the connection of the upload broke; continue with its state', { cause: error })
	} finally {
		clearTimeout(timer)
	}
}

/** Sends a body with the transport that reports progress, unless the caller passed `fetch`. */
function sendParts(
	client: Client,
	url: string,
	init: BodylessRequest,
	body: UploadBody | undefined,
	watch: BodyWatch,
): Promise<Response> {
	if (!body) return client.fetch(url, { ...init, redirect: 'manual' })
	if (client.fetch === globalFetch) {
		if (!(body instanceof Blob)) return body.send(url, init, watch)
		if (watch.onSent && typeof XMLHttpRequest === 'function') return sendByXhr(url, { ...init, body }, watch)
	}
	const { headers, ...composed } = composeBody(body, watch)
	return client.fetch(url, {
		...init,
		...composed,
		headers: { ...init.headers, ...headers },
		redirect: 'manual',
	})
}

/** Returns how many bytes the server has. A page of a proxy has no such header. */
export function readOffset(method: string, { status, headers }: Response, size: number): number {
	const value = headers.get('upload-offset') ?? ''
	if (/^\d+$/.test(value) && Number(value) <= size) return Number(value)
	throw new UnexpectedResponseError(
		`${method} of the upload: the response has no valid Upload-Offset; check baseUrl and proxies`,
		{ status },
	)
}

/** Waits before the next try. Throws the error if it does not pass, or comes too often without progress. */
export async function pauseAfter(error: unknown, failures: number, { signal }: Cancelable): Promise<void> {
	const { status = 0, retryAfterSec = null } = error as Partial<PlayhouseError>
	// 409 and 423: the server is elsewhere, or still reads the request before.
	const isOutOfStep = [409, 423].includes(status) || error instanceof NoProgressError
	const passing = isOutOfStep ? new ConnectionError('out of step', { retryAfterSec }) : error
	const ms = choosePauseMs(passing, failures, MAX_FAILURES)
	if (ms === undefined) throw error
	if (!(await pause(ms, signal)))
		throw new CanceledError('the signal ended the upload', { cause: signal?.reason })
}
