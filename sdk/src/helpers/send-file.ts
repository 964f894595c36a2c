import { call } from '../call.ts'
import type { Client } from '../client.ts'
import { NotFoundError, UnexpectedResponseError } from '../errors.ts'
import { completeUpload, createUploadToken, createUploadUrl } from '../generated/operations.ts'
import type { OpenSource } from './upload-parts.ts'
import { NoProgressError, pauseAfter, pickSignal, readOffset, request, tusHeaders } from './upload-request.ts'
import { openSource, type UploadSource } from './upload-source.ts'

/** The state to continue an upload in another process. It contains a token, so store it where only you can read it. */
export type UploadState = { assetId: string; size: number; url: string; token: string }

export type UploadProgress = {
	/** The bytes that were sent. Falls back to `stored` after an interruption. */
	sent: number
	/** The bytes that the server has stored. */
	stored: number
	size: number
}

export type SendOptions = {
	assetId: string
	/** The number of bytes of a stream. */
	size?: number
	/** Called while a chunk is sent, and after the server has stored it. */
	onProgress?: (progress: UploadProgress) => void
	/** Called once, as soon as the upload can be continued. Keep the state until `sendFile` returns. */
	onState?: (state: UploadState) => void | Promise<void>
	/** The state of an interrupted upload of the same file. */
	state?: UploadState
	signal?: AbortSignal
	/** Files up to this size are sent in one request (default 100 MB). Streams are always sent in chunks. */
	wholeUpToBytes?: number
	/** The size of a chunk of a larger file (default 50 MiB, which every plan of Cloudflare accepts; 8 MiB of a stream). */
	chunkBytes?: number
}

/**
 * Uploads the source of an asset: small files in one request, larger ones in chunks (TUS). After an interruption, the
 * upload continues at the offset of the server.
 */
export async function sendFile(client: Client, source: UploadSource, options: SendOptions): Promise<void> {
	const { chunkBytes = 1 } = options
	if (!(chunkBytes >= 1))
		throw new TypeError('chunkBytes is less than 1; pass the number of bytes of a chunk')
	const opened = await openSource(source, options)
	try {
		await sendSource(client, opened, options)
	} finally {
		await opened.close()
	}
}

async function sendSource(client: Client, source: OpenSource, options: SendOptions): Promise<void> {
	const { assetId, state, wholeUpToBytes = 100_000_000 } = options
	const { size, canRepeat } = source
	if (size === 0) throw new TypeError('the file is empty; pass a file with content')
	if (state && (state.size !== size || state.assetId !== assetId))
		throw new TypeError('the state belongs to another file or asset; remove it to start again')
	// The file would go to any address in a state that somebody else has written.
	if (state && !String(state.url).startsWith(`${client.baseUrl}/upload/videos/`))
		throw new TypeError('the state belongs to another installation; remove it to start again')
	if (!state && canRepeat && size <= wholeUpToBytes) return await sendWhole(client, source, options)
	const offset = state && (await findOffset(client, state, options))
	if (state && offset !== undefined) return await sendChunks(client, source, state, offset, options)
	const begun = await begin(client, size, options)
	await options.onState?.(begun)
	await sendChunks(client, source, begun, 0, options)
}

/** Retries are safe, because a second PUT replaces the first. */
async function sendWhole(client: Client, source: OpenSource, options: SendOptions): Promise<void> {
	const { assetId, onProgress } = options
	const { size } = source
	const { uploadUrl, headers } = await call(client, createUploadUrl, { assetId }, pickSignal(options))
	for (let failures = 1; ; failures++)
		try {
			const body = await source.read(0, size)
			// The URL contains the credential.
			await request(client, 'PUT', uploadUrl, { headers, body, ...countFrom(0, size, onProgress) }, options)
			break
		} catch (error) {
			await pauseAfter(error, failures, options)
		}
	await call(client, completeUpload, { assetId, fileSize: size }, pickSignal(options))
	onProgress?.({ sent: size, stored: size, size })
}

const countFrom = (stored: number, size: number, onProgress: SendOptions['onProgress']) =>
	onProgress ? { onSent: (bytes: number) => onProgress({ sent: stored + bytes, stored, size }) } : {}

async function begin(client: Client, size: number, options: SendOptions): Promise<UploadState> {
	const { assetId } = options
	const { token, sourceKey } = await call(
		client,
		createUploadToken,
		{ assetId, fileSize: size },
		pickSignal(options),
	)
	const metadata = { 'Upload-Length': String(size), 'Upload-Metadata': `filename ${btoa(sourceKey)}` }
	const endpoint = `${client.baseUrl}/upload/videos`
	for (let failures = 1; ; failures++)
		try {
			const headers = { ...tusHeaders(token), ...metadata }
			const response = await request(client, 'POST', endpoint, { headers }, options)
			// Uses only the id from the header, so that the token never reaches another host.
			const [, id] = /\/([\w-]+)$/.exec(response.headers.get('location') ?? '') ?? []
			if (!id)
				throw new UnexpectedResponseError(
					'POST of the upload: the response has no valid Location; check baseUrl and proxies',
					{ status: response.status },
				)
			return { assetId, size, token, url: `${endpoint}/${id}` }
		} catch (error) {
			await pauseAfter(error, failures, options)
		}
}

async function sendChunks(
	client: Client,
	source: OpenSource,
	state: UploadState,
	from: number,
	options: SendOptions,
): Promise<void> {
	const { onProgress, chunkBytes = source.chunkBytes } = options
	const { size } = source
	let failures = 0
	let furthest = from
	for (let offset = from; offset < size; ) {
		const body = await source.read(offset, Math.min(offset + chunkBytes, size))
		try {
			const headers = {
				...tusHeaders(state.token),
				'Upload-Offset': String(offset),
				'content-type': 'application/offset+octet-stream',
			}
			const init = { headers, body, ...countFrom(offset, size, onProgress) }
			const response = await request(client, 'PATCH', state.url, init, options)
			const stored = readOffset('PATCH', response, size)
			if (stored <= offset) throw new NoProgressError(response)
			offset = stored
		} catch (error) {
			await pauseAfter(error, ++failures, options)
			const found = await findOffset(client, state, options)
			if (found === undefined) throw error
			offset = found
		}
		// A server that falls back and catches up makes no progress.
		if (offset > furthest) {
			failures = 0
			furthest = offset
		}
		onProgress?.({ sent: offset, stored: offset, size })
	}
}

/** Returns the offset of the server; undefined if the upload no longer exists. */
async function findOffset(
	client: Client,
	state: UploadState,
	options: SendOptions,
): Promise<number | undefined> {
	for (let failures = 1; ; failures++)
		try {
			const response = await request(client, 'HEAD', state.url, { headers: tusHeaders(state.token) }, options)
			return readOffset('HEAD', response, state.size)
		} catch (error) {
			if (error instanceof NotFoundError) return undefined
			await pauseAfter(error, failures, options)
		}
}
