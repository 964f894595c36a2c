import { mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { watch } from 'chokidar'
import { ApiError, type CallOptions, type Client } from '#schema/contract/kit/client.ts'
import { createAsset, getAsset } from '#schema/contract/video/assets.ts'
import { processAsset } from '#schema/contract/video/transcoding.ts'
import { completeUpload, createUploadUrl, MAX_DIRECT_BYTES } from '#schema/contract/video/uploads.ts'
import { computeBackoffMs } from '../backoff.ts'
import { describeError } from '../edge/registration.ts'
import type { Log } from '../log.ts'
import { type Network, putObject } from '../outputs/storage.ts'
import {
	DONE,
	FAILED,
	type FileSnapshot,
	formatFileKey,
	isMediaName,
	isUnchanged,
	isUnfinishedName,
	moveAside,
	openSnapshot,
	takeSnapshot,
	toTitle,
} from './hot-folder-files.ts'
import type { Memory } from './hot-folder-memory.ts'

const CALL_MS = 30_000
const RETRY = { firstMs: 1_000, capMs: 60_000 }
const POLL = { firstMs: 2_000, capMs: 15_000 }
/** A rejected key needs a person to fix it. */
const REJECTED_KEY_MS = 60_000
const SUSPENDED_MS = 5 * 60_000
/** Files in progress, and how many of them are being uploaded. */
const MAX_FILES = 16
const MAX_UPLOADS = 2

export type HotFolder = {
	dir: string
	client: Client<AbortSignal>
	memory: Memory
	network: Network
	log: Log
	/** A file that has not grown for this long is complete. */
	settleMs: number
}

/** The file or the edge rules out success, so a retry is useless. */
class RejectedError extends Error {
	override name = 'RejectedError'
}

/** The file is still being written, or has been removed. */
class ChangedError extends Error {
	override name = 'ChangedError'
}

/** Turns each video in the folder into an asset and then moves it aside, until the signal. */
export async function watchFolder(folder: HotFolder, signal: AbortSignal): Promise<void> {
	const dir = resolve(folder.dir)
	for (const name of [DONE, FAILED]) await mkdir(join(dir, name), { recursive: true })
	const files = new Semaphore(MAX_FILES)
	const uploads = new Semaphore(MAX_UPLOADS)
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
		const handled = files
			.run(() => handle(folder, dir, path, uploads, signal))
			.catch((error: unknown) => {
				if (!signal.aborted) folder.log.error("can't process a file", { path, ...describeError(error) })
			})
			.finally(() => running.delete(path))
		running.set(path, handled)
	}
	watcher.on('add', (path) => {
		if (!isMediaName(path)) folder.log.info('skipped: not a video by its name', { path })
		take(path)
	})
	// A change during processing is noticed there.
	watcher.on('change', take)
	watcher.on('error', (error) => folder.log.error("can't watch the folder", describeError(error)))
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
	uploads: Semaphore,
	signal: AbortSignal,
): Promise<void> {
	const { log, memory, network } = folder
	for (;;) {
		signal.throwIfAborted()
		const snapshot = await takeSnapshot(path)
		if (!snapshot) return log.info('skipped: not a plain file, or no longer there', { path })
		try {
			const assetId = await processFile(folder, snapshot, uploads, signal)
			const isSame = await isUnchanged(snapshot)
			if (isSame) await moveAside(snapshot, join(dir, DONE), null)
			await memory.forget(formatFileKey(snapshot))
			// A new file of the same name that arrived meanwhile is another video.
			if (!isSame) continue
			return log.info('video done', { file: snapshot.name, assetId })
		} catch (error) {
			signal.throwIfAborted()
			if (error instanceof ChangedError) {
				log.info('a file changes while it is uploaded; waiting', { file: snapshot.name })
				await network.sleep(folder.settleMs, signal)
				await keepAssetOfGrownFile(memory, snapshot)
				continue
			}
			if (!(error instanceof RejectedError)) throw error
			if (await isUnchanged(snapshot)) await moveAside(snapshot, join(dir, FAILED), error.message)
			await memory.forget(formatFileKey(snapshot))
			return log.warn('video failed', { file: snapshot.name, reason: error.message })
		}
	}
}

/** Keeps the asset when a file has grown: the complete file is the same video. */
async function keepAssetOfGrownFile(memory: Memory, previous: FileSnapshot): Promise<void> {
	const current = await takeSnapshot(previous.path)
	const assetId = memory.findAssetId(formatFileKey(previous))
	if (current && assetId && formatFileKey(current) !== formatFileKey(previous))
		await memory.remember(formatFileKey(current), assetId)
	if (current && formatFileKey(current) !== formatFileKey(previous))
		await memory.forget(formatFileKey(previous))
}

/** Reads the state from the edge at each step, so that a restart can resume anywhere. */
async function processFile(
	folder: HotFolder,
	snapshot: FileSnapshot,
	uploads: Semaphore,
	signal: AbortSignal,
): Promise<string> {
	const { client, memory, network, log } = folder
	const key = formatFileKey(snapshot)
	requireValidSize(snapshot)
	const callEdge = <T>(call: (options: CallOptions<AbortSignal>) => Promise<T>) =>
		callUntilAnswered(folder, call, signal)
	let assetId = memory.findAssetId(key)
	if (!assetId) {
		const body = { title: toTitle(snapshot.name) }
		const created = await callEdge((options) =>
			client.call(createAsset, { body }, { ...options, idempotencyKey: key }),
		)
		assetId = created.data.id
		await memory.remember(key, assetId)
	}
	const params = { assetId }
	for (let polls = 0; ; polls++) {
		const { data } = await callEdge((options) => client.call(getAsset, { params }, options))
		if (data.status === 'ready') return assetId
		if (data.status === 'error')
			throw new RejectedError(data.errorMessage ?? 'the video could not be processed')
		if (data.status === 'created') {
			await uploads.run(() => upload(folder, snapshot, params, callEdge, signal))
			continue
		}
		if (data.status === 'uploaded') {
			await callEdge((options) => client.call(processAsset, { params, body: {} }, options)).catch(
				ignoreConflict,
			)
			log.info('video uploaded', { file: snapshot.name, assetId })
		}
		await network.sleep(computeBackoffMs(polls, POLL, network.random), signal)
		signal.throwIfAborted()
	}
}

type CallEdge = <T>(call: (options: CallOptions<AbortSignal>) => Promise<T>) => Promise<T>

async function upload(
	{ client, network }: HotFolder,
	snapshot: FileSnapshot,
	params: { assetId: string },
	callEdge: CallEdge,
	signal: AbortSignal,
): Promise<void> {
	await using file = await openSnapshot(snapshot)
	if (!file) throw new ChangedError(snapshot.name)
	try {
		await putObject(
			{
				name: snapshot.name,
				bytes: snapshot.bytes,
				// Reads the open file, even if its path is replaced meanwhile.
				body: () =>
					file.createReadStream({
						start: 0,
						end: snapshot.bytes - 1,
						autoClose: false,
						highWaterMark: 1024 ** 2,
					}),
				async address() {
					const { data } = await callEdge((options) =>
						client.call(createUploadUrl, { params, body: {} }, options),
					)
					return { url: data.uploadUrl, headers: data.headers }
				},
				check() {},
			},
			network,
			signal,
		)
	} catch (error) {
		signal.throwIfAborted()
		if (!(await isUnchanged(snapshot))) throw new ChangedError(snapshot.name)
		throw error
	}
	// Completing the upload of a changing file would publish half of it.
	if (!(await isUnchanged(snapshot))) throw new ChangedError(snapshot.name)
	await callEdge((options) => client.call(completeUpload, { params }, options)).catch(ignoreConflict)
}

function requireValidSize({ bytes }: FileSnapshot): void {
	if (bytes === 0) throw new RejectedError('the file is empty')
	if (bytes > MAX_DIRECT_BYTES)
		throw new RejectedError(
			'the file is larger than 5 GiB, the limit of a single upload; upload it with a TUS client, which takes up to 10 GiB',
		)
}

/** Retries without limit: an edge outage ends, and files can wait. */
async function callUntilAnswered<T>(
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
					'the edge rejects the key: set PLAYHOUSE_API_KEY to a key with write access',
					describeError(error),
				)
				await network.sleep(REJECTED_KEY_MS, signal)
				continue
			}
			if (error instanceof ApiError && error.code === 'org_suspended') {
				log.warn('the organization is suspended; the file waits', describeError(error))
				await network.sleep(SUSPENDED_MS, signal)
				continue
			}
			if (error instanceof ApiError && error.status < 500 && error.status !== 429 && error.status !== 408)
				throw new RejectedError(error.status === 404 ? 'the asset of this file was deleted' : error.message)
			if (failures % 10 === 0) log.warn('calls to the edge fail; retrying', describeError(error))
			const requiredMs = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0
			await network.sleep(Math.max(requiredMs, computeBackoffMs(failures, RETRY, network.random)), signal)
		}
	}
}

/** The step is already done, perhaps before a restart; the next state is read from the edge. */
function ignoreConflict(error: unknown): void {
	if (!(error instanceof ApiError && error.status === 409)) throw error
}

class Semaphore {
	#free: number
	readonly #waiting: (() => void)[] = []
	constructor(size: number) {
		this.#free = size
	}

	async run<T>(work: () => Promise<T>): Promise<T> {
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
