import { mkdir, readdir, rm, stat, statfs, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Source } from '#schema/contract/leases.ts'
import { NoRoomError, TemporaryError } from './failure.ts'
import { type Log, reasonOf } from './log.ts'
import { downloadSource, dropPart, isDiskProblem, partPath } from './source-download.ts'
import type { Network } from './storage.ts'

const GIB = 1024 ** 3
/** Tasks need some room for themselves. */
const SPARE_BYTES = 512 * 1024 ** 2
const NEVER_MORE_BYTES = 200 * GIB
/** As many as a claim names. */
const NAMED = 32

export type PinnedSource = AsyncDisposable & { path: string }

export type SourceCache = {
	/** The source on disk, complete, for as long as it is not disposed of. */
	use(source: Source, signal: AbortSignal): Promise<PinnedSource>
	/** Of complete ones, the latest used first. */
	ids(): string[]
	usage(): { bytes: number; capacityBytes: number; sources: number }
}

type Entry = {
	source: Pick<Source, 'etag' | 'sizeBytes'>
	path: string
	isComplete: boolean
	usedAt: number
	users: number
	download: { done: Promise<void>; stop: AbortController } | null
}

export type CacheOptions = {
	dir: string
	/** null: half of what is free. */
	capacityBytes: number | null
	network: Network
	now(): number
	log: Log
}

/** Keeps sources on disk between tasks, since a video is worked on in many. One download for all who want it. */
export async function openSourceCache(options: CacheOptions): Promise<SourceCache> {
	const { dir, network, now, log } = options
	await mkdir(dir, { recursive: true, mode: 0o700 })
	const { entries, halves } = await findKept(dir)
	const capacityBytes = options.capacityBytes ?? (await roomFor(dir, entries))

	const bytesHeld = () => [...entries.values()].reduce((sum, { source }) => sum + source.sizeBytes, 0)

	async function remove(key: string, entry: Entry): Promise<void> {
		entries.delete(key)
		await rm(entry.path, { force: true })
		await dropPart(entry.path)
	}

	const isShort = async (bytes: number) =>
		bytesHeld() > capacityBytes || (await freeBytes(dir)) < bytes + SPARE_BYTES

	/** Those nobody uses, the longest unused first, until there is room for what is to be loaded, which is counted as held already. */
	async function makeRoom(bytes: number): Promise<void> {
		if (await isShort(bytes)) for (const path of halves) await dropPart(path).then(() => halves.delete(path))
		const idle = [...entries].filter(([, { users }]) => users === 0)
		for (const [key, entry] of idle.sort(([, a], [, b]) => a.usedAt - b.usedAt)) {
			if (!(await isShort(bytes))) return
			await remove(key, entry)
		}
		const free = await freeBytes(dir)
		if (free < bytes + SPARE_BYTES) {
			log.error('the disk is full', { dir, freeBytes: free, neededBytes: bytes + SPARE_BYTES })
			throw new NoRoomError()
		}
	}

	async function load(source: Source, entry: Entry, signal: AbortSignal): Promise<void> {
		const had = await bytesTaken(partPath(entry.path))
		await makeRoom(Math.max(0, source.sizeBytes - had))
		const begun = now()
		try {
			await downloadSource(source, entry.path, network, signal)
		} catch (error) {
			if (isDiskProblem(error)) {
				await dropPart(entry.path)
				log.error('a source can not be written to disk', { dir, reason: reasonOf(error) })
				throw new NoRoomError({ cause: error })
			}
			throw error
		}
		entry.isComplete = true
		const ms = now() - begun
		log.info('source loaded', { source: source.id, bytes: source.sizeBytes, resumedFrom: had, ms })
	}

	/** An entry that is of use: nobody removes it from here on. */
	async function enter(source: Source): Promise<Entry> {
		const key = source.id
		for (;;) {
			const entry = entries.get(key)
			if (!entry) break
			// The last of those who waited for it has gone: it ends first, as both would write one file.
			if (entry.download?.stop.signal.aborted) {
				await entry.download.done.catch(() => {})
				continue
			}
			entry.users++
			const isThere = !entry.isComplete || (await bytesOf(entry.path)) === entry.source.sizeBytes
			if (isThere && isSame(entry.source, source)) return entry
			entry.users--
			if (entry.users > 0) throw new TemporaryError('The uploaded file was replaced while it was worked on.')
			if (entries.get(key) === entry) await remove(key, entry)
		}
		const { etag, sizeBytes } = source
		const path = join(dir, fileName(source))
		const entry = {
			source: { etag, sizeBytes },
			path,
			isComplete: false,
			usedAt: now(),
			users: 1,
			download: null,
		}
		entries.set(key, entry)
		halves.delete(path)
		return entry
	}

	function leave(entry: Entry): void {
		entry.users--
		entry.usedAt = now()
		if (entry.users === 0) entry.download?.stop.abort(new Error('nobody waits for the source any more'))
	}

	function start(source: Source, entry: Entry): NonNullable<Entry['download']> {
		const stop = new AbortController()
		const done = load(source, entry, stop.signal).finally(() => {
			entry.download = null
			if (entry.isComplete || entries.get(source.id) !== entry) return
			entries.delete(source.id)
			halves.add(entry.path)
		})
		// Those who wait hear of it; when all have left, nobody has to.
		done.catch(() => {})
		return { done, stop }
	}

	return {
		async use(source, signal) {
			const mine = await enter(source)
			try {
				if (!mine.isComplete) {
					mine.download ??= start(source, mine)
					await orAborted(mine.download.done, signal)
				}
				signal.throwIfAborted()
				const at = new Date(now())
				await utimes(mine.path, at, at)
			} catch (error) {
				leave(mine)
				throw error
			}
			let isLeft = false
			return {
				path: mine.path,
				async [Symbol.asyncDispose]() {
					if (isLeft) return
					isLeft = true
					leave(mine)
				},
			}
		},
		ids: () =>
			[...entries]
				.filter(([, { isComplete }]) => isComplete)
				.sort(([, a], [, b]) => b.usedAt - a.usedAt)
				.slice(0, NAMED)
				.map(([key]) => key),
		usage: () => ({ bytes: bytesHeld(), capacityBytes, sources: entries.size }),
	}
}

const isSame = (a: Entry['source'], b: Entry['source']) => a.etag === b.etag && a.sizeBytes === b.sizeBytes

/** The etag is in the name, so that what is found after a restart says which version it is. */
const fileName = ({ id, etag }: Source) =>
	`${id}.${Buffer.from(etag).toString('base64url').slice(0, 120)}.src`
const namePattern = /^([0-9A-Za-z_-]{1,100})\.([0-9A-Za-z_-]*)\.src(\.part(?:\.json)?)?$/

/** What earlier runs left: complete ones are kept, and halves that can be gone on with. */
async function findKept(dir: string): Promise<{ entries: Map<string, Entry>; halves: Set<string> }> {
	const entries = new Map<string, Entry>()
	const halves = new Set<string>()
	for (const name of await readdir(dir)) {
		const path = join(dir, name)
		const [, id, encoded = '', end] = namePattern.exec(name) ?? []
		if (id === undefined) await rm(path, { recursive: true, force: true })
		else if (end !== undefined) halves.add(path.slice(0, -end.length))
		else {
			const { size, mtimeMs } = await stat(path)
			const source = { etag: Buffer.from(encoded, 'base64url').toString(), sizeBytes: size }
			entries.set(id, { source, path, isComplete: true, usedAt: mtimeMs, users: 0, download: null })
		}
	}
	return { entries, halves }
}

async function roomFor(dir: string, entries: ReadonlyMap<string, Entry>): Promise<number> {
	const held = [...entries.values()].reduce((sum, { source }) => sum + source.sizeBytes, 0)
	return Math.min(NEVER_MORE_BYTES, Math.floor(((await freeBytes(dir)) + held) / 2))
}

async function freeBytes(dir: string): Promise<number> {
	const { bavail, bsize } = await statfs(dir)
	return bavail * bsize
}

const bytesOf = (path: string) =>
	stat(path).then(
		({ size }) => size,
		() => 0,
	)

const bytesTaken = (path: string) =>
	stat(path).then(
		// A file with holes is as long as its last chunk says; what it takes is in blocks.
		({ blocks }) => blocks * 512,
		() => 0,
	)

/** The download goes on for others; this one stops waiting. */
function orAborted(done: Promise<void>, signal: AbortSignal): Promise<void> {
	const { promise, reject } = Promise.withResolvers<never>()
	const onAbort = () => reject(signal.reason)
	signal.addEventListener('abort', onAbort, { once: true })
	return Promise.race([done, promise]).finally(() => signal.removeEventListener('abort', onAbort))
}
