import { call } from '../call.ts'
import type { Client } from '../client.ts'
import { CanceledError, ConnectionError, NotFoundError, PlayhouseError, readError } from '../errors.ts'
import { completeUpload, createUploadToken, createUploadUrl } from '../generated/operations.ts'
import { choosePauseMs, pause } from '../retry.ts'

/** The state to continue an upload in another process. It contains a token, so store it where only you can read it. */
export type UploadState = { assetId: string; size: number; url: string; token: string }

export type SendOptions = {
	assetId: string
	/** Called after each chunk that the server has stored. */
	onProgress?: (progress: { sent: number; size: number }) => void
	/** Called once, as soon as the upload can be continued. Keep the state until `sendFile` returns. */
	onState?: (state: UploadState) => void | Promise<void>
	/** The state of an interrupted upload of the same file. */
	state?: UploadState
	signal?: AbortSignal
	/** Files up to this size are sent in one request (default 100 MB). */
	wholeUpToBytes?: number
	/** The size of a chunk of a larger file (default 50 MiB, which every plan of Cloudflare accepts). */
	chunkBytes?: number
}

/** The number of consecutive failures without progress after which an upload fails. Its state stays valid. */
const MAX_FAILURES = 8

/**
 * Uploads the source of an asset: small files in one request, larger ones in chunks (TUS). After an interruption, the
 * upload continues at the offset of the server.
 */
export async function sendFile(client: Client, file: Blob, options: SendOptions): Promise<void> {
	const { assetId, state, wholeUpToBytes = 100_000_000 } = options
	if (file.size === 0) throw new TypeError('the file is empty; pass a file with content')
	if (state && (state.size !== file.size || state.assetId !== assetId))
		throw new TypeError('the state belongs to another file or asset; remove it to start again')
	if (!state && file.size <= wholeUpToBytes) return await sendWhole(client, file, options)
	const offset = state && (await findOffset(client, state, options))
	if (state && offset !== undefined) return await sendChunks(client, file, state, offset, options)
	const begun = await begin(client, file.size, options)
	await options.onState?.(begun)
	await sendChunks(client, file, begun, 0, options)
}

/** Retries are safe, because a second PUT replaces the first. */
async function sendWhole(client: Client, file: Blob, options: SendOptions): Promise<void> {
	const { assetId, onProgress } = options
	const { uploadUrl, headers } = await call(client, createUploadUrl, { assetId }, signalOf(options))
	for (let failures = 1; ; failures++)
		try {
			// The URL contains the credential.
			await request(client, 'PUT', uploadUrl, { headers, body: file }, options)
			break
		} catch (error) {
			await pauseAfter(error, failures, options)
		}
	await call(client, completeUpload, { assetId, fileSize: file.size }, signalOf(options))
	onProgress?.({ sent: file.size, size: file.size })
}

async function begin(client: Client, size: number, options: SendOptions): Promise<UploadState> {
	const { assetId } = options
	const { token, sourceKey } = await call(
		client,
		createUploadToken,
		{ assetId, fileSize: size },
		signalOf(options),
	)
	const metadata = { 'Upload-Length': String(size), 'Upload-Metadata': `filename ${btoa(sourceKey)}` }
	const endpoint = `${client.baseUrl}/upload/videos`
	for (let failures = 1; ; failures++)
		try {
			const headers = { ...tusHeaders(token), ...metadata }
			const response = await request(client, 'POST', endpoint, { headers }, options)
			// Uses only the id from the header, so that the token never reaches another host.
			const id = response.headers.get('location')?.split('/').pop()
			return { assetId, size, token, url: `${endpoint}/${id}` }
		} catch (error) {
			await pauseAfter(error, failures, options)
		}
}

async function sendChunks(
	client: Client,
	file: Blob,
	state: UploadState,
	from: number,
	options: SendOptions,
): Promise<void> {
	const { onProgress, chunkBytes = 50 * 1024 ** 2 } = options
	let failures = 0
	for (let offset = from; offset < file.size; ) {
		const before = offset
		try {
			const headers = {
				...tusHeaders(state.token),
				'Upload-Offset': String(offset),
				'content-type': 'application/offset+octet-stream',
			}
			const body = file.slice(offset, offset + chunkBytes)
			const response = await request(client, 'PATCH', state.url, { headers, body }, options)
			offset = Number(response.headers.get('upload-offset'))
		} catch (error) {
			// 409: the server has another offset. 423: the server still reads the previous request.
			const isOutOfStep = [409, 423].includes((error as Partial<PlayhouseError>).status ?? 0)
			await pauseAfter(
				isOutOfStep ? new ConnectionError('the server has another offset') : error,
				++failures,
				options,
			)
			const found = await findOffset(client, state, options)
			if (found === undefined) throw error
			offset = found
		}
		if (offset > before) failures = 0
		onProgress?.({ sent: offset, size: file.size })
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
			return Number(response.headers.get('upload-offset'))
		} catch (error) {
			if (error instanceof NotFoundError) return undefined
			await pauseAfter(error, failures, options)
		}
}

const tusHeaders = (token: string) => ({ authorization: `Bearer ${token}`, 'Tus-Resumable': '1.0.0' })

const signalOf = ({ signal }: SendOptions) => (signal ? { signal } : {})

async function request(
	client: Client,
	method: string,
	url: string,
	init: { headers: Record<string, string>; body?: Blob },
	{ signal }: SendOptions,
): Promise<Response> {
	try {
		const response = await client.fetch(url, { method, redirect: 'manual', ...init, signal: signal ?? null })
		if (!response.ok) throw readError(`${method} of the upload`, response, await response.text())
		await response.body?.cancel()
		return response
	} catch (error) {
		if (error instanceof PlayhouseError) throw error
		if (signal?.aborted) throw new CanceledError('the signal ended the upload', { cause: signal.reason })
		throw new ConnectionError('the connection of the upload broke; continue with its state', { cause: error })
	}
}

/** Waits before a retry. Throws the error if it is not retryable, or after too many failures without progress. */
async function pauseAfter(error: unknown, failures: number, { signal }: SendOptions): Promise<void> {
	const ms = choosePauseMs(error, failures, MAX_FAILURES)
	if (ms === undefined) throw error
	if (!(await pause(ms, signal)))
		throw new CanceledError('the signal ended the upload', { cause: signal?.reason })
}
