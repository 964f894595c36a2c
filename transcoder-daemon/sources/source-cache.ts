import { mkdir, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Source } from '#schema/contract/video/leases.ts'
import { describeReason, type Log } from '../log.ts'
import type { Network } from '../outputs/storage.ts'
import { DiskFullError, TemporaryError } from '../run/failure.ts'
import { buildPartPath, deletePart, downloadSource, isDiskProblem } from './source-download.ts'
import {
	type CacheFiles,
	type Download,
	type Entry,
	findFiles,
	formatFileName,
	measureBytesTaken,
	readFileSize,
	readFreeBytes,
	sumCachedBytes,
} from './source-files.ts'

const GIB = 1024 ** 3
/** Free space reserved for tasks. */
const SPARE_BYTES = 512 * 1024 ** 2
const MAX_DEFAULT_BYTES = 200 * GIB
/** Limit of sources that a claim lists. */
const MAX_IDS = 32

export type PinnedSource = AsyncDisposable & { path: string }

export type CacheOptions = {
	dir: string
	/** null: half of the free space. */
	capacityBytes: number | null
	network: Network
	now(): number
	log: Log
}

/** Opens the cache with the files of earlier runs. */
export async function openSourceCache(options: CacheOptions): Promise<SourceCache> {
	const { dir } = options
	await mkdir(dir, { recursive: true, mode: 0o700 })
	const files = await findFiles(dir)
	const capacityBytes = options.capacityBytes ?? (await defaultCapacity(dir, files.entries))
	return new SourceCache({ ...options, capacityBytes }, files)
}

/** Caches sources on disk, since many tasks process the same video. Concurrent users share one download. */
export class SourceCache {
	readonly #options: CacheOptions & { capacityBytes: number }
	readonly #entries: Map<string, Entry>
	/** Paths whose partial downloads can be resumed and belong to no entry. */
	readonly #partials: Set<string>

	constructor(options: CacheOptions & { capacityBytes: number }, { entries, partials }: CacheFiles) {
		this.#options = options
		this.#entries = entries
		this.#partials = partials
	}

	/** Returns the complete source on disk. It stays there until it is disposed of. */
	async use(source: Source, signal: AbortSignal): Promise<PinnedSource> {
		const { now } = this.#options
		const entry = await this.#acquire(source)
		try {
			if (!entry.isComplete) {
				entry.download ??= this.#startDownload(source, entry)
				await orAborted(entry.download.done, signal)
			}
			signal.throwIfAborted()
			const at = new Date(now())
			await utimes(entry.path, at, at)
		} catch (error) {
			this.#release(entry)
			throw error
		}
		let isReleased = false
		const release = async () => {
			if (isReleased) return
			isReleased = true
			this.#release(entry)
		}
		return { path: entry.path, [Symbol.asyncDispose]: release }
	}

	/** Returns the ids of complete sources, most recently used first. */
	ids(): string[] {
		return [...this.#entries]
			.filter(([, { isComplete }]) => isComplete)
			.sort(([, a], [, b]) => b.usedAt - a.usedAt)
			.slice(0, MAX_IDS)
			.map(([key]) => key)
	}

	usage(): { bytes: number; capacityBytes: number; sources: number } {
		const { capacityBytes } = this.#options
		return { bytes: sumCachedBytes(this.#entries), capacityBytes, sources: this.#entries.size }
	}

	/** Returns an entry for the source and counts the caller as its user, so that it is not evicted. */
	async #acquire(source: Source): Promise<Entry> {
		for (;;) {
			const entry = this.#entries.get(source.id)
			if (!entry) return this.#addEntry(source)
			// The last user has aborted this download. It must end first, since both downloads would write the same file.
			if (entry.download?.stop.signal.aborted) {
				await entry.download.done.catch(() => {})
				continue
			}
			entry.users++
			const isPresent = !entry.isComplete || (await readFileSize(entry.path)) === entry.source.sizeBytes
			if (isPresent && isSame(entry.source, source)) return entry
			entry.users--
			if (entry.users > 0) throw new TemporaryError('the uploaded file was replaced during processing')
			if (this.#entries.get(source.id) === entry) await this.#remove(source.id, entry)
		}
	}

	#addEntry(source: Source): Entry {
		const { etag, sizeBytes } = source
		const path = join(this.#options.dir, formatFileName(source))
		const usedAt = this.#options.now()
		const entry = { source: { etag, sizeBytes }, path, isComplete: false, usedAt, users: 1, download: null }
		this.#entries.set(source.id, entry)
		this.#partials.delete(path)
		return entry
	}

	#release(entry: Entry): void {
		entry.users--
		entry.usedAt = this.#options.now()
		if (entry.users === 0) entry.download?.stop.abort(new Error('no task needs the source any more'))
	}

	#startDownload(source: Source, entry: Entry): Download {
		const stop = new AbortController()
		const done = this.#download(source, entry, stop.signal).finally(() => {
			entry.download = null
			if (entry.isComplete || this.#entries.get(source.id) !== entry) return
			this.#entries.delete(source.id)
			this.#partials.add(entry.path)
		})
		// Users of the entry receive the error; without users, it must not crash the process.
		done.catch(() => {})
		return { done, stop }
	}

	async #download(source: Source, entry: Entry, signal: AbortSignal): Promise<void> {
		const { dir, network, now, log } = this.#options
		const resumedFrom = await measureBytesTaken(buildPartPath(entry.path))
		await this.#makeRoom(Math.max(0, source.sizeBytes - resumedFrom))
		const startedAt = now()
		try {
			await downloadSource(source, entry.path, network, signal)
		} catch (error) {
			if (!isDiskProblem(error)) throw error
			await deletePart(entry.path)
			log.error("can't write a source to disk", { dir, reason: describeReason(error) })
			throw new DiskFullError({ cause: error })
		}
		entry.isComplete = true
		const ms = now() - startedAt
		log.info('source loaded', { source: source.id, bytes: source.sizeBytes, resumedFrom, ms })
	}

	/** Evicts files until the download fits. Its bytes are already counted. */
	async #makeRoom(bytes: number): Promise<void> {
		const { dir, log } = this.#options
		if (await this.#isShort(bytes)) await this.#dropPartials()
		for (const [key, entry] of sortForEviction(this.#entries)) {
			if (!(await this.#isShort(bytes))) return
			await this.#remove(key, entry)
		}
		const free = await readFreeBytes(dir)
		if (free >= bytes + SPARE_BYTES) return
		log.error('the disk is full', { dir, freeBytes: free, neededBytes: bytes + SPARE_BYTES })
		throw new DiskFullError()
	}

	async #isShort(bytes: number): Promise<boolean> {
		const { dir, capacityBytes } = this.#options
		return sumCachedBytes(this.#entries) > capacityBytes || (await readFreeBytes(dir)) < bytes + SPARE_BYTES
	}

	async #dropPartials(): Promise<void> {
		for (const path of this.#partials) {
			await deletePart(path)
			this.#partials.delete(path)
		}
	}

	async #remove(key: string, entry: Entry): Promise<void> {
		this.#entries.delete(key)
		await rm(entry.path, { force: true })
		await deletePart(entry.path)
	}
}

/** Returns the entries that may be evicted: unused ones, least recently used first. */
export const sortForEviction = <E extends Pick<Entry, 'users' | 'usedAt'>>(
	entries: Iterable<[string, E]>,
): [string, E][] =>
	[...entries].filter(([, { users }]) => users === 0).sort(([, a], [, b]) => a.usedAt - b.usedAt)

const isSame = (a: Entry['source'], b: Entry['source']) => a.etag === b.etag && a.sizeBytes === b.sizeBytes

async function defaultCapacity(dir: string, entries: ReadonlyMap<string, Entry>): Promise<number> {
	return Math.min(MAX_DEFAULT_BYTES, Math.floor(((await readFreeBytes(dir)) + sumCachedBytes(entries)) / 2))
}

/** Stops waiting on abort; the download continues for other users. */
function orAborted(done: Promise<void>, signal: AbortSignal): Promise<void> {
	const { promise, reject } = Promise.withResolvers<never>()
	const onAbort = () => reject(signal.reason)
	signal.addEventListener('abort', onAbort, { once: true })
	return Promise.race([done, promise]).finally(() => signal.removeEventListener('abort', onAbort))
}
