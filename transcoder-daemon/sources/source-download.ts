import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises'
import { z } from 'zod'
import type { Source } from '#schema/contract/video/leases.ts'
import { writeFileAtomic } from '../machine/atomic-file.ts'
import { watchIdle } from '../outputs/idle.ts'
import { type Network, stripEtag } from '../outputs/storage.ts'
import { withRetries } from '../retrying.ts'
import { TemporaryError } from '../run/failure.ts'
import { SourceError } from '../tasks/task.ts'

export const CHUNK_BYTES = 16 * 1024 ** 2
const CONCURRENCY = 4
const IDLE_MS = 30_000

/** The version in a partial file, and the chunks it has. */
const Progress = z.object({
	etag: z.string(),
	sizeBytes: z.int().positive(),
	chunks: z.array(z.int().nonnegative()),
})

export const buildPartPath = (path: string) => `${path}.part`
const progressPath = (path: string) => `${path}.part.json`

/**
 * Downloads the object to `path`, several ranges at a time, in exactly this version. It resumes the download of an
 * earlier run. `path` exists only once the file is complete.
 */
export async function downloadSource(
	source: Source,
	path: string,
	network: Network,
	signal: AbortSignal,
	onBytes: (bytes: number) => void = () => {},
): Promise<void> {
	const storedChunks = await readProgress(source, path)
	const all = Array.from({ length: Math.ceil(source.sizeBytes / CHUNK_BYTES) }, (_, index) => index)
	const missing = all.filter((index) => !storedChunks.has(index))
	const failed = new AbortController()
	const stop = AbortSignal.any([signal, failed.signal])
	const file = await open(buildPartPath(path), storedChunks.size > 0 ? 'r+' : 'w', 0o600)
	try {
		let lastSave = Promise.resolve()
		const work = async () => {
			for (let index = missing.shift(); index !== undefined; index = missing.shift()) {
				await readChunk(source, index, file, network, stop, onBytes)
				storedChunks.add(index)
				// Writes are sequential, each with the chunks stored by then.
				lastSave = lastSave.then(() => saveProgress(source, path, storedChunks, file))
				await lastSave
			}
		}
		const fail = (error: unknown) => {
			failed.abort(error)
			throw error
		}
		const results = await Promise.allSettled(Array.from({ length: CONCURRENCY }, () => work().catch(fail)))
		signal.throwIfAborted()
		if (results.some(({ status }) => status === 'rejected')) throw failed.signal.reason
		await file.sync()
		const { size } = await file.stat()
		if (size !== source.sizeBytes)
			throw new Error(`the source has ${size} of ${source.sizeBytes} bytes on disk`)
	} finally {
		await file.close()
	}
	await rename(buildPartPath(path), path)
	await rm(progressPath(path), { force: true })
}

export async function deletePart(path: string): Promise<void> {
	await rm(buildPartPath(path), { force: true })
	await rm(progressPath(path), { force: true })
}

async function readProgress(source: Source, path: string): Promise<Set<number>> {
	try {
		const progress = Progress.parse(JSON.parse(await readFile(progressPath(path), 'utf8')))
		if (progress.etag === source.etag && progress.sizeBytes === source.sizeBytes)
			return new Set(progress.chunks)
	} catch {
		// Without a readable record the download starts over.
	}
	await deletePart(path)
	return new Set()
}

/** Syncs the chunks to disk before the record that lists them. */
async function saveProgress(
	source: Source,
	path: string,
	storedChunks: ReadonlySet<number>,
	file: FileHandle,
) {
	await file.datasync()
	const { etag, sizeBytes } = source
	await writeFileAtomic(progressPath(path), JSON.stringify({ etag, sizeBytes, chunks: [...storedChunks] }))
}

async function readChunk(
	source: Source,
	index: number,
	file: FileHandle,
	network: Network,
	signal: AbortSignal,
	onBytes: (bytes: number) => void,
): Promise<void> {
	const end = Math.min((index + 1) * CHUNK_BYTES, source.sizeBytes)
	let from = index * CHUNK_BYTES
	await withRetries(
		async () => {
			for await (const bytes of readRange(source, from, end, network, signal)) {
				await file.write(bytes, 0, bytes.length, from)
				from += bytes.length
				onBytes(bytes.length)
			}
			if (from !== end) throw new Error(`a range of the source is ${end - from} bytes short`)
		},
		{
			maxTries: 6,
			backoff: { firstMs: 500, capMs: 10_000 },
			isRetryable: (error) => !isFinal(error),
			toFinalError: (error) =>
				isFinal(error)
					? error
					: new TemporaryError('the uploaded file could not be read from storage', { cause: error }),
			sleep: network.sleep,
			random: network.random,
			signal,
		},
	)
}

async function* readRange(
	source: Source,
	from: number,
	end: number,
	network: Network,
	signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
	using idle = watchIdle(IDLE_MS)
	const response = await network.fetch(source.url, {
		headers: { range: `bytes=${from}-${end - 1}`, 'if-match': quoteEtag(source.etag) },
		redirect: 'error',
		signal: AbortSignal.any([signal, idle.signal]),
	})
	try {
		checkResponse(response, source, from, end)
		let left = end - from
		for await (const chunk of response.body ?? []) {
			idle.touch()
			left -= chunk.length
			if (left < 0) throw new Error('the store sent more bytes than requested')
			yield chunk
		}
	} finally {
		if (response.body?.locked === false) await response.body.cancel().catch(() => {})
	}
}

function checkResponse(response: Response, source: Source, from: number, end: number): void {
	const { status, headers } = response
	const isWhole = status === 200 && from === 0 && end === source.sizeBytes
	if (status === 412 || status === 416) throw sourceReplacedError()
	// A 403 is an expired address; a 404 may come from a store under repair.
	if (status === 403) throw new TemporaryError('storage rejected the address of the uploaded file')
	if (status !== 206 && !isWhole)
		throw new Error(`the store responded with ${status} to a range of the source`)
	const etag = headers.get('etag')
	if (etag !== null && stripEtag(etag) !== stripEtag(source.etag)) throw sourceReplacedError()
	const total = /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1]
	if (total !== undefined && Number(total) !== source.sizeBytes) throw sourceReplacedError()
}

const sourceReplacedError = () =>
	new SourceError('the uploaded file was replaced after its upload was completed')

const isFinal = (error: unknown) =>
	error instanceof SourceError || error instanceof TemporaryError || isDiskProblem(error)

/** Whether the local disk caused the error; another request doesn't change that. */
export const isDiskProblem = (error: unknown): error is NodeJS.ErrnoException =>
	error instanceof Error &&
	'syscall' in error &&
	['write', 'open', 'fdatasync', 'fsync', 'rename'].includes(String(error.syscall))

/** Stores return W/"x", "x" or x. */
const quoteEtag = (etag: string) => `"${stripEtag(etag)}"`
