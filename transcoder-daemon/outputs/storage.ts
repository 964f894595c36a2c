import type { Readable } from 'node:stream'
import { describeReason } from '../log.ts'
import { withRetries } from '../retrying.ts'
import { TemporaryError } from '../run/failure.ts'
import type { Sleep } from '../time.ts'
import { watchIdle } from './idle.ts'

const retryPolicy = { maxTries: 7, backoff: { firstMs: 500, capMs: 15_000 }, isRetryable }
/** Lowest upload rate that is accepted. */
const BYTES_PER_MS = 64
const BASE_TIMEOUT_MS = 30_000

export type Network = { fetch: typeof fetch; sleep: Sleep; random(): number }

/** The store responded with an error status. */
export class StorageError extends Error {
	override name = 'StorageError'
	readonly status: number
	constructor(name: string, status: number) {
		super(`${name}: the store responded with ${status}`)
		this.status = status
	}
}

export type Upload = {
	/** Name for error messages. */
	name: string
	bytes: number
	/** Called for each try. */
	body(): Uint8Array | Readable
	/** Returns the address; called again after a 403, since the address may have expired. */
	address(isRefresh: boolean): Promise<{ url: string; headers: Record<string, string> }>
	/** Throws when the task may store nothing more. */
	check(): void
}

/** Returns an ETag without quotes and weak prefix, as stores compare it. */
export const stripEtag = (etag: string): string => etag.replace(/^W\//, '').replace(/^"|"$/g, '')

/** Stores one object or part and returns its ETag. */
export async function putObject(upload: Upload, network: Network, signal: AbortSignal): Promise<string> {
	let mayHaveArrived = false
	let address = await upload.address(false)
	return await withRetries(() => put(upload, address, mayHaveArrived, network, signal), {
		...retryPolicy,
		delayMs: (error, defaultMs) => (isExpiredError(error) ? 0 : defaultMs),
		beforeTry: () => upload.check(),
		async beforeRetry(error) {
			// The object may have been stored although the request failed.
			if (!(error instanceof StorageError) || error.status >= 500) mayHaveArrived = true
			if (isExpiredError(error)) address = await upload.address(true)
		},
		toFinalError: (error) =>
			new TemporaryError('the processed video could not be stored', {
				cause: new Error(`${upload.name}: ${describeReason(error)}`, { cause: error }),
			}),
		sleep: network.sleep,
		random: network.random,
		signal,
	})
}

async function put(
	{ name, bytes, body }: Upload,
	{ url, headers }: { url: string; headers: Record<string, string> },
	mayHaveArrived: boolean,
	network: Network,
	signal: AbortSignal,
): Promise<string> {
	const response = await network.fetch(url, {
		method: 'PUT',
		// Stores reject bodies of unknown length. With this header, undici rejects a body of another length.
		headers: { ...headers, 'content-length': String(bytes) },
		body: body() as RequestInit['body'] & object,
		duplex: 'half',
		redirect: 'error',
		signal: AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(BASE_TIMEOUT_MS + bytes / BYTES_PER_MS))]),
	})
	await response.bytes()
	const etag = stripEtag(response.headers.get('etag') ?? '')
	if (response.ok) return etag
	// The object can be created only once: an earlier try stored it, and its response was lost.
	if (response.status === 412 && mayHaveArrived && headers['if-none-match'] === '*') return etag
	throw new StorageError(name, response.status)
}

/** Reads a whole object of at most `maxBytes`. */
export async function getObject(
	url: string,
	maxBytes: number,
	network: Network,
	signal: AbortSignal,
): Promise<Buffer> {
	return await withRetries(() => get(url, maxBytes, network, signal), {
		...retryPolicy,
		isRetryable: (error) => isRetryable(error) && !isExpiredError(error),
		toFinalError: (error) =>
			new TemporaryError('the processed video could not be read from storage', { cause: error }),
		sleep: network.sleep,
		random: network.random,
		signal,
	})
}

async function get(url: string, maxBytes: number, network: Network, signal: AbortSignal): Promise<Buffer> {
	using idle = watchIdle(BASE_TIMEOUT_MS)
	const limit = AbortSignal.any([signal, idle.signal])
	const response = await network.fetch(url, { redirect: 'error', signal: limit })
	if (response.ok) return await readAll(response, maxBytes, idle.touch)
	await response.body?.cancel()
	throw new StorageError('an object', response.status)
}

class TooLargeError extends Error {
	override name = 'TooLargeError'
}

async function readAll(response: Response, maxBytes: number, onChunk: () => void): Promise<Buffer> {
	const chunks: Uint8Array[] = []
	let bytes = 0
	for await (const chunk of response.body ?? []) {
		onChunk()
		bytes += chunk.length
		if (bytes > maxBytes) throw new TooLargeError(`an object is larger than ${maxBytes} bytes`)
		chunks.push(chunk)
	}
	const length = response.headers.get('content-length')
	if (length !== null && response.headers.get('content-encoding') === null && Number(length) !== bytes)
		throw new Error(`an object was truncated after ${bytes} of ${length} bytes`)
	return Buffer.concat(chunks)
}

const isExpiredError = (error: unknown) => error instanceof StorageError && error.status === 403

/** Whether a retry can help. A 403 means that the address may have expired. */
function isRetryable(error: unknown): boolean {
	if (error instanceof TooLargeError) return false
	if (!(error instanceof StorageError)) return !isFileProblem(error)
	return error.status >= 500 || [403, 408, 409, 425, 429].includes(error.status)
}

/** Whether a local file caused the error; a retry doesn't change that. */
const isFileProblem = (error: unknown) => {
	const { cause } = error as { cause?: unknown }
	return cause instanceof Error && 'syscall' in cause && ['open', 'read'].includes(String(cause.syscall))
}
