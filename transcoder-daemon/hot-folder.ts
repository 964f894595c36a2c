import { mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { watch } from 'chokidar'
import { createAsset, getAsset } from '#schema/contract/assets.ts'
import { ApiError, type CallOptions, type Client } from '#schema/contract/client.ts'
import { processAsset } from '#schema/contract/transcoding.ts'
import { completeUpload, createUploadUrl, MAX_DIRECT_BYTES } from '#schema/contract/uploads.ts'
import { backoffMs } from './backoff.ts'
import {
	DONE,
	type Drop,
	FAILED,
	isMediaName,
	isUnchanged,
	isUnfinishedName,
	keyOf,
	lookAt,
	moveAside,
	openDrop,
	titleOf,
} from './hot-folder-files.ts'
import type { Memory } from './hot-folder-memory.ts'
import type { Log } from './log.ts'
import { detailsOf } from './registration.ts'
import { type Network, putObject } from './storage.ts'

const CALL_MS = 30_000
const RETRY = { firstMs: 1_000, capMs: 60_000 }
const POLL = { firstMs: 2_000, capMs: 15_000 }
/** A refused key is put right by a person, or not at all. */
const REFUSED_MS = 60_000
/** Files that are uploaded or waited for at once, and how many of them are uploaded. */
const IN_HAND = 16
const UPLOADS = 2

export type HotFolder = {
	dir: string
	client: Client<AbortSignal>
	memory: Memory
	network: Network
	log: Log
	/** A file that has not grown for so long is whole. */
	settleMs: number
}

/** It is the file, or what the edge says of it; trying again is no use. */
class RefusedError extends Error {
	override name = 'RefusedError'
}

/** Somebody still writes it, or has taken it away. */
class ChangedError extends Error {
	override name = 'ChangedError'
}

/** Makes each video that appears in the folder an asset, and moves it aside in the end. Until the signal comes. */
export async function watchFolder(folder: HotFolder, signal: AbortSignal): Promise<void> {
	const dir = resolve(folder.dir)
	for (const name of [DONE, FAILED]) await mkdir(join(dir, name), { recursive: true })
	const inHand = new Gate(IN_HAND)
	const uploads = new Gate(UPLOADS)
	const running = new Map<string, Promise<void>>()
	const watcher = watch(dir, {
		depth: 0,
		awaitWriteFinish: {
			stabilityThreshold: folder.settleMs,
			pollInterval: Math.min(500, folder.settleMs / 4),
		},
		ignored: (path) => path !== dir && isUnfinishedName(path.slice(dir.length + 1)),
		followSymlinks: false,
	})
	const take = (path: string) => {
		if (signal.aborted || dirname(path) !== dir || running.has(path)) return
		if (!isMediaName(path)) return
		const handled = inHand
			.through(() => handle(folder, dir, path, uploads, signal))
			.catch((error: unknown) => {
				if (!signal.aborted) folder.log.error('a file can not be handled', { path, ...detailsOf(error) })
			})
			.finally(() => running.delete(path))
		running.set(path, handled)
	}
	watcher.on('add', (path) => {
		if (!isMediaName(path)) folder.log.info('passed over: no video by its name', { path })
		take(path)
	})
	// Changed after it was taken: what was begun notices that itself.
	watcher.on('change', take)
	watcher.on('error', (error) => folder.log.error('the folder can not be watched', detailsOf(error)))
	watcher.on('ready', () => folder.log.info('watching', { dir }))
	await new Promise<void>((done) => {
		if (signal.aborted) done()
		signal.addEventListener('abort', () => done(), { once: true })
	})
	await watcher.close()
	await Promise.all(running.values())
}

async function handle(
	folder: HotFolder,
	dir: string,
	path: string,
	uploads: Gate,
	signal: AbortSignal,
): Promise<void> {
	const { log, memory, network } = folder
	for (;;) {
		signal.throwIfAborted()
		const drop = await lookAt(path)
		if (!drop) return log.info('passed over: no plain file any more, or never one', { path })
		try {
			const assetId = await bring(folder, drop, uploads, signal)
			const isSame = await isUnchanged(drop)
			if (isSame) await moveAside(drop, join(dir, DONE), null)
			await memory.forget(keyOf(drop))
			// Another file of the same name, which came while this one was processed, is another video.
			if (!isSame) continue
			return log.info('video done', { file: drop.name, assetId })
		} catch (error) {
			signal.throwIfAborted()
			if (error instanceof ChangedError) {
				log.info('a file changes while it is uploaded; waiting', { file: drop.name })
				await network.sleep(folder.settleMs, signal)
				await keepAsset(memory, drop)
				continue
			}
			if (!(error instanceof RefusedError)) throw error
			if (await isUnchanged(drop)) await moveAside(drop, join(dir, FAILED), error.message)
			await memory.forget(keyOf(drop))
			return log.warn('video failed', { file: drop.name, reason: error.message })
		}
	}
}

/** What was a part is a whole now: it is the same video, and goes to the asset that was made for it. */
async function keepAsset(memory: Memory, before: Drop): Promise<void> {
	const now = await lookAt(before.path)
	const assetId = memory.assetOf(keyOf(before))
	if (now && assetId && keyOf(now) !== keyOf(before)) await memory.remember(keyOf(now), assetId)
	if (now && keyOf(now) !== keyOf(before)) await memory.forget(keyOf(before))
}

/** Where it stands is asked of the edge, so that it can be gone on with after a restart at any point. */
async function bring(folder: HotFolder, drop: Drop, uploads: Gate, signal: AbortSignal): Promise<string> {
	const { client, memory, network, log } = folder
	const key = keyOf(drop)
	refuseSize(drop)
	const ask = <T>(call: (options: CallOptions<AbortSignal>) => Promise<T>) => askAgain(folder, call, signal)
	let assetId = memory.assetOf(key)
	if (!assetId) {
		const body = { title: titleOf(drop.name) }
		const made = await ask((options) =>
			client.call(createAsset, { body }, { ...options, idempotencyKey: key }),
		)
		assetId = made.data.id
		await memory.remember(key, assetId)
	}
	const params = { assetId }
	for (let polls = 0; ; polls++) {
		const { data } = await ask((options) => client.call(getAsset, { params }, options))
		if (data.status === 'ready') return assetId
		if (data.status === 'error')
			throw new RefusedError(data.errorMessage ?? 'The video could not be processed.')
		if (data.status === 'created') {
			await uploads.through(() => upload(folder, drop, params, ask, signal))
			continue
		}
		if (data.status === 'uploaded') {
			await ask((options) => client.call(processAsset, { params, body: {} }, options)).catch(ignoreConflict)
			log.info('video uploaded', { file: drop.name, assetId })
		}
		await network.sleep(backoffMs(polls, POLL, network.random), signal)
		signal.throwIfAborted()
	}
}

type Ask = <T>(call: (options: CallOptions<AbortSignal>) => Promise<T>) => Promise<T>

async function upload(
	{ client, network }: HotFolder,
	drop: Drop,
	params: { assetId: string },
	ask: Ask,
	signal: AbortSignal,
): Promise<void> {
	await using file = await openDrop(drop)
	if (!file) throw new ChangedError(drop.name)
	try {
		await putObject(
			{
				name: drop.name,
				bytes: drop.bytes,
				// From the one file, whatever is put in its place meanwhile.
				body: () =>
					file.createReadStream({
						...{ start: 0, end: drop.bytes - 1, autoClose: false },
						highWaterMark: 1024 ** 2,
					}),
				async address() {
					const { data } = await ask((options) => client.call(createUploadUrl, { params, body: {} }, options))
					return { url: data.uploadUrl, headers: data.headers }
				},
				check() {},
			},
			network,
			signal,
		)
	} catch (error) {
		signal.throwIfAborted()
		if (!(await isUnchanged(drop))) throw new ChangedError(drop.name)
		throw error
	}
	// Said of a file that is still written, it would make half of it the source.
	if (!(await isUnchanged(drop))) throw new ChangedError(drop.name)
	await ask((options) => client.call(completeUpload, { params }, options)).catch(ignoreConflict)
}

function refuseSize({ bytes }: Drop): void {
	if (bytes === 0) throw new RefusedError('The file is empty.')
	if (bytes > MAX_DIRECT_BYTES)
		throw new RefusedError(
			'The file is larger than 5 GiB, which is as much as goes in one piece. Upload it with a TUS client: files up to 10 GiB go that way.',
		)
}

/** As long as it takes: an edge that is away comes back, and files wait. */
async function askAgain<T>(
	{ network, log }: HotFolder,
	call: (options: CallOptions<AbortSignal>) => Promise<T>,
	signal: AbortSignal,
): Promise<T> {
	for (let failures = 0; ; failures++) {
		signal.throwIfAborted()
		try {
			return await call({ signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]) })
		} catch (error) {
			signal.throwIfAborted()
			const status = error instanceof ApiError ? error.status : null
			if (status === 409) throw error
			if (status === 401) {
				log.error(
					'the edge refuses the key: PLAYHOUSE_API_KEY must be a key that may write',
					detailsOf(error),
				)
				await network.sleep(REFUSED_MS, signal)
				continue
			}
			if (error instanceof ApiError && error.status < 500 && error.status !== 429 && error.status !== 408)
				throw new RefusedError(error.status === 404 ? 'The asset of this file was deleted.' : error.message)
			if (failures % 10 === 0) log.warn('the edge does not answer as it should', detailsOf(error))
			const askedMs = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0
			await network.sleep(Math.max(askedMs, backoffMs(failures, RETRY, network.random)), signal)
		}
	}
}

/** Somebody, or we before a restart, has done it already; the state that follows is asked for. */
function ignoreConflict(error: unknown): void {
	if (!(error instanceof ApiError && error.status === 409)) throw error
}

/** Lets so many through at once. */
class Gate {
	#free: number
	readonly #waiting: (() => void)[] = []
	constructor(size: number) {
		this.#free = size
	}

	async through<T>(work: () => Promise<T>): Promise<T> {
		if (this.#free > 0) this.#free--
		else await new Promise<void>((enter) => this.#waiting.push(enter))
		try {
			return await work()
		} finally {
			const next = this.#waiting.shift()
			if (next) next()
			else this.#free++
		}
	}
}
