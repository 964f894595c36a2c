import type { Readable } from 'node:stream'
import { backoffMs } from './backoff.ts'
import { TemporaryError } from './failure.ts'
import { watchIdle } from './idle.ts'
import { reasonOf } from './log.ts'
import type { Sleep } from './time.ts'

const TRIES = 7
const RETRY = { firstMs: 500, capMs: 15_000 }
/** The slowest network that is worth waiting for. */
const BYTES_PER_MS = 64
const FIRST_MS = 30_000

export type Network = { fetch: typeof fetch; sleep: Sleep; random(): number }

/** The store answered, and not with what was hoped for. */
export class StorageError extends Error {
	override name = 'StorageError'
	readonly status: number
	constructor(what: string, status: number) {
		super(`${what}: the store answered ${status}`)
		this.status = status
	}
}

export type Upload = {
	/** For messages. */
	name: string
	bytes: number
	/** Anew for each try. */
	body(): Uint8Array | Readable
	/** Where to; asked for again when the address was refused, as one does that has expired. */
	address(again: boolean): Promise<{ url: string; headers: Record<string, string> }>
	/** Throws when nothing may be stored any more. */
	check(): void
}

/** As stores compare it: HTTP writes it in quotes, weak ones with W/ before them. */
export const bareEtag = (etag: string): string => etag.replace(/^W\//, '').replace(/^"|"$/g, '')

/** Stores one object or part and answers its etag. */
export async function putObject(upload: Upload, network: Network, signal: AbortSignal): Promise<string> {
	let isUnsure = false
	let address = await upload.address(false)
	for (let tries = 1; ; tries++) {
		upload.check()
		signal.throwIfAborted()
		try {
			return await put(upload, address, isUnsure, network, signal)
		} catch (error) {
			signal.throwIfAborted()
			if (!isWorthAnotherTry(error) || tries >= TRIES)
				throw new TemporaryError('What was made of the video could not be stored.', {
					cause: new Error(`${upload.name}: ${reasonOf(error)}`, { cause: error }),
				})
			// It may have arrived all the same.
			if (!(error instanceof StorageError) || error.status >= 500) isUnsure = true
			if (error instanceof StorageError && error.status === 403) address = await upload.address(true)
			else await network.sleep(backoffMs(tries, RETRY, network.random), signal)
		}
	}
}

async function put(
	{ name, bytes, body }: Upload,
	{ url, headers }: { url: string; headers: Record<string, string> },
	isUnsure: boolean,
	network: Network,
	signal: AbortSignal,
): Promise<string> {
	const answer = await network.fetch(url, {
		method: 'PUT',
		// Stores refuse bodies of unknown length; with it, undici refuses a body that is longer or shorter.
		headers: { ...headers, 'content-length': String(bytes) },
		body: body() as RequestInit['body'] & object,
		duplex: 'half',
		redirect: 'error',
		signal: AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(FIRST_MS + bytes / BYTES_PER_MS))]),
	})
	await answer.bytes()
	const etag = bareEtag(answer.headers.get('etag') ?? '')
	if (answer.ok) return etag
	// Written once: what an earlier try sent is there, though its answer was lost.
	if (answer.status === 412 && isUnsure && headers['if-none-match'] === '*') return etag
	throw new StorageError(name, answer.status)
}

/** Reads an object of at most this size, whole. */
export async function getObject(
	url: string,
	maxBytes: number,
	network: Network,
	signal: AbortSignal,
): Promise<Buffer> {
	for (let tries = 1; ; tries++) {
		signal.throwIfAborted()
		try {
			return await get(url, maxBytes, network, signal)
		} catch (error) {
			signal.throwIfAborted()
			const isExpired = error instanceof StorageError && error.status === 403
			if (!isWorthAnotherTry(error) || isExpired || tries >= TRIES)
				throw new TemporaryError('What was made of the video could not be read from the store.', {
					cause: error,
				})
			await network.sleep(backoffMs(tries, RETRY, network.random), signal)
		}
	}
}

async function get(url: string, maxBytes: number, network: Network, signal: AbortSignal): Promise<Buffer> {
	using idle = watchIdle(FIRST_MS)
	const limit = AbortSignal.any([signal, idle.signal])
	const answer = await network.fetch(url, { redirect: 'error', signal: limit })
	if (answer.ok) return await readAll(answer, maxBytes, idle.touch)
	await answer.body?.cancel()
	throw new StorageError('an object', answer.status)
}

class TooLargeError extends Error {
	override name = 'TooLargeError'
}

async function readAll(answer: Response, maxBytes: number, onChunk: () => void): Promise<Buffer> {
	const chunks: Uint8Array[] = []
	let bytes = 0
	for await (const chunk of answer.body ?? []) {
		onChunk()
		bytes += chunk.length
		if (bytes > maxBytes) throw new TooLargeError(`an object is larger than ${maxBytes} bytes`)
		chunks.push(chunk)
	}
	const length = answer.headers.get('content-length')
	if (length !== null && answer.headers.get('content-encoding') === null && Number(length) !== bytes)
		throw new Error(`an object ended after ${bytes} of ${length} bytes`)
	return Buffer.concat(chunks)
}

/** 403 stands for an address that has expired. */
function isWorthAnotherTry(error: unknown): boolean {
	if (error instanceof TooLargeError) return false
	if (!(error instanceof StorageError)) return !isFileProblem(error)
	return error.status >= 500 || [403, 408, 409, 425, 429].includes(error.status)
}

/** What is wrong with a file of ours does not get better. */
const isFileProblem = (error: unknown) => {
	const { cause } = error as { cause?: unknown }
	return cause instanceof Error && 'syscall' in cause && ['open', 'read'].includes(String(cause.syscall))
}
