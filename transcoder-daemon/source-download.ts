import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises'
import { z } from 'zod'
import type { Source } from '#schema/contract/leases.ts'
import { backoffMs } from './backoff.ts'
import { TemporaryError } from './failure.ts'
import { watchIdle } from './idle.ts'
import { bareEtag, type Network } from './storage.ts'
import { SourceError } from './tasks/task.ts'
import { writeWhole } from './whole-file.ts'

export const CHUNK_BYTES = 16 * 1024 ** 2
const AT_ONCE = 4
const TRIES = 6
const IDLE_MS = 30_000
const RETRY = { firstMs: 500, capMs: 10_000 }

/** Which version a file holds, and which chunks of it are there. */
const Progress = z.object({
	etag: z.string(),
	sizeBytes: z.int().positive(),
	chunks: z.array(z.int().nonnegative()),
})

/** Where a download is written until it is complete. */
export const partPath = (path: string) => `${path}.part`
const notePath = (path: string) => `${path}.part.json`

/**
 * Reads the object to `path`, several ranges at once, and only this very version of it. What an earlier run had of
 * it already, before it died, is not read again. Under `path` there is nothing until all is there.
 */
export async function downloadSource(
	source: Source,
	path: string,
	network: Network,
	signal: AbortSignal,
	onBytes: (bytes: number) => void = () => {},
): Promise<void> {
	const have = await readNote(source, path)
	const all = Array.from({ length: Math.ceil(source.sizeBytes / CHUNK_BYTES) }, (_, index) => index)
	const missing = all.filter((index) => !have.has(index))
	const failed = new AbortController()
	const stop = AbortSignal.any([signal, failed.signal])
	const file = await open(partPath(path), have.size > 0 ? 'r+' : 'w', 0o600)
	try {
		let note = Promise.resolve()
		const work = async () => {
			for (let index = missing.shift(); index !== undefined; index = missing.shift()) {
				await readChunk(source, index, file, network, stop, onBytes)
				have.add(index)
				// One after the other, and with what is known by then.
				note = note.then(() => saveNote(source, path, have, file))
				await note
			}
		}
		const fail = (error: unknown) => {
			failed.abort(error)
			throw error
		}
		const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => work().catch(fail)))
		signal.throwIfAborted()
		if (ends.some(({ status }) => status === 'rejected')) throw failed.signal.reason
		await file.sync()
		const { size } = await file.stat()
		if (size !== source.sizeBytes)
			throw new Error(`the source has ${size} of ${source.sizeBytes} bytes on disk`)
	} finally {
		await file.close()
	}
	await rename(partPath(path), path)
	await rm(notePath(path), { force: true })
}

export async function dropPart(path: string): Promise<void> {
	await rm(partPath(path), { force: true })
	await rm(notePath(path), { force: true })
}

async function readNote(source: Source, path: string): Promise<Set<number>> {
	try {
		const note = Progress.parse(JSON.parse(await readFile(notePath(path), 'utf8')))
		if (note.etag === source.etag && note.sizeBytes === source.sizeBytes) return new Set(note.chunks)
	} catch {
		// None, or one that can not be read: from the beginning then.
	}
	await dropPart(path)
	return new Set()
}

/** The chunks are on the disk before the note that says so. */
async function saveNote(source: Source, path: string, have: ReadonlySet<number>, file: FileHandle) {
	await file.datasync()
	const { etag, sizeBytes } = source
	await writeWhole(notePath(path), JSON.stringify({ etag, sizeBytes, chunks: [...have] }))
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
	for (let tries = 1; ; tries++) {
		try {
			for await (const bytes of readRange(source, from, end, network, signal)) {
				await file.write(bytes, 0, bytes.length, from)
				from += bytes.length
				onBytes(bytes.length)
			}
			if (from === end) return
			throw new Error(`a range of the source ended ${end - from} bytes early`)
		} catch (error) {
			signal.throwIfAborted()
			if (isFinal(error)) throw error
			if (tries >= TRIES)
				throw new TemporaryError('The uploaded file could not be read from the store.', { cause: error })
			await network.sleep(backoffMs(tries, RETRY, network.random), signal)
		}
	}
}

async function* readRange(
	source: Source,
	from: number,
	end: number,
	network: Network,
	signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
	using idle = watchIdle(IDLE_MS)
	const answer = await network.fetch(source.url, {
		headers: { range: `bytes=${from}-${end - 1}`, 'if-match': quoted(source.etag) },
		redirect: 'error',
		signal: AbortSignal.any([signal, idle.signal]),
	})
	try {
		checkAnswer(answer, source, from, end)
		let left = end - from
		for await (const chunk of answer.body ?? []) {
			idle.touch()
			left -= chunk.length
			if (left < 0) throw new Error('the store sent more than it was asked for')
			yield chunk
		}
	} finally {
		if (answer.body?.locked === false) await answer.body.cancel().catch(() => {})
	}
}

function checkAnswer(answer: Response, source: Source, from: number, end: number): void {
	const { status, headers } = answer
	const whole = status === 200 && from === 0 && end === source.sizeBytes
	if (status === 412 || status === 416) throw replaced()
	// A 403 is an address that has expired, a 404 may be one of a store that is being repaired.
	if (status === 403) throw new TemporaryError('The store refused the address of the uploaded file.')
	if (status !== 206 && !whole) throw new Error(`the store answered ${status} for a range of the source`)
	const etag = headers.get('etag')
	if (etag !== null && bareEtag(etag) !== bareEtag(source.etag)) throw replaced()
	const total = /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1]
	if (total !== undefined && Number(total) !== source.sizeBytes) throw replaced()
}

const replaced = () =>
	new SourceError('The uploaded file was replaced by another one after its upload was completed.')

const isFinal = (error: unknown) =>
	error instanceof SourceError || error instanceof TemporaryError || isDiskProblem(error)

/** What the disk says does not change by asking the store again. */
export const isDiskProblem = (error: unknown): error is NodeJS.ErrnoException =>
	error instanceof Error &&
	'syscall' in error &&
	['write', 'open', 'fdatasync', 'fsync', 'rename'].includes(String(error.syscall))

/** Some say W/"x", some "x", some x. */
const quoted = (etag: string) => `"${bareEtag(etag)}"`
