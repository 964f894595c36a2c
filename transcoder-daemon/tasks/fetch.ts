import type { IncomingMessage } from 'node:http'
import { IdleError, watchIdle } from '../outputs/idle.ts'
import { TemporaryError } from '../run/failure.ts'
import { type PublicNetwork, publicNetwork } from '../sources/public-address.ts'
import { getPublic, type Timeouts } from '../sources/public-get.ts'
import { type RunTask, SourceError } from './task.ts'

export type FetchLimits = Timeouts & {
	idleMs: number
	/** Minimum rate after the first minute; a slower download would not finish in time. */
	minBytesPerSec: number
	startSec: number
}

export type Internet = { publicNetwork: PublicNetwork; limits: FetchLimits; nowMs(): number }

export const defaultInternet: Internet = {
	publicNetwork,
	limits: { connectMs: 5_000, headersMs: 10_000, idleMs: 30_000, minBytesPerSec: 32 * 1024, startSec: 60 },
	nowMs: () => performance.now(),
}

/** Copies a video from a user-supplied URL to storage, without keeping it on this machine. */
export const createRunFetch =
	(internet: Internet): RunTask<'fetch'> =>
	async ({ url, maxBytes }, { outputs, progress, signal }) => {
		const startedAt = internet.nowMs()
		const response = await getPublic(url, {}, internet.publicNetwork, internet.limits, signal)
		try {
			const length = checkResponse(response, maxBytes)
			const chunks = readBody(response, { length, maxBytes, startedAt, progress, signal, internet })
			const { bytes, parts } = await outputs.putStream(checkBeginning(chunks))
			return {
				kind: 'fetch',
				sizeBytes: bytes,
				parts,
				...{ workSec: (internet.nowMs() - startedAt) / 1_000, mediaSec: 0, hwAccelUsed: false, notes: [] },
			}
		} finally {
			response.destroy()
		}
	}

/** Checks the status and headers; returns the announced length, or null. */
function checkResponse({ statusCode = 0, headers }: IncomingMessage, maxBytes: number): number | null {
	if (statusCode >= 500 || statusCode === 408 || statusCode === 429)
		throw new TemporaryError(`the server of the video failed with status ${statusCode}`)
	if (statusCode === 401 || statusCode === 403)
		throw new SourceError(
			`the server of the video requires permission (${statusCode}); use an address that everyone can read`,
		)
	if (statusCode === 404 || statusCode === 410)
		throw new SourceError(`there is no video at this URL (${statusCode}); check it`)
	if (statusCode !== 200) throw new SourceError(`the server of the video responded with status ${statusCode}`)
	if (/^(text\/html|application\/xhtml)/i.test(headers['content-type'] ?? '')) throw webPageError()
	const coding = headers['content-encoding'] ?? 'identity'
	if (coding !== 'identity')
		throw new SourceError('the server compresses the video; turn compression off for it')
	const length = headers['content-length']
	if (length === undefined) return null
	if (Number(length) > maxBytes) throw tooLargeError(maxBytes)
	return Number(length)
}

type BodyOptions = {
	length: number | null
	maxBytes: number
	startedAt: number
	progress(share: number): void
	signal: AbortSignal
	internet: Internet
}

/** Reads the body and enforces size and speed, whatever the headers claim. */
async function* readBody(
	response: IncomingMessage,
	{ length, maxBytes, startedAt, progress, signal, internet: { limits, nowMs } }: BodyOptions,
): AsyncGenerator<Uint8Array> {
	using idle = watchIdle(limits.idleMs)
	const stop = AbortSignal.any([signal, idle.signal])
	const end = () => response.destroy(stop.reason)
	stop.addEventListener('abort', end, { once: true })
	let bytes = 0
	try {
		for await (const chunk of response as AsyncIterable<Buffer>) {
			idle.pause()
			bytes += chunk.length
			if (bytes > maxBytes) throw tooLargeError(maxBytes)
			const seconds = (nowMs() - startedAt) / 1_000
			if (seconds > limits.startSec + bytes / limits.minBytesPerSec)
				throw new TemporaryError('the server of the video is too slow')
			yield chunk
			idle.touch()
			if (length) progress(bytes / length)
		}
	} catch (error) {
		signal.throwIfAborted()
		if (error instanceof SourceError || error instanceof TemporaryError) throw error
		const isIdle = error instanceof IdleError
		const message = isIdle ? 'stopped sending data' : 'closed the connection early'
		throw new TemporaryError(`the server of the video ${message}`, { cause: error })
	} finally {
		stop.removeEventListener('abort', end)
	}
	if (length !== null && bytes !== length)
		throw new TemporaryError('the server of the video closed the connection early')
	if (bytes === 0) throw new SourceError('the file at this URL is empty')
}

const SNIFFED_BYTES = 512

/** Forwards bytes, unless the first ones are clearly not a video. */
async function* checkBeginning(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	let beginning: Buffer | null = Buffer.alloc(0)
	for await (const chunk of chunks) {
		if (beginning) {
			beginning = Buffer.concat([beginning, chunk])
			if (beginning.length < SNIFFED_BYTES) continue
			rejectText(beginning)
			yield beginning
			beginning = null
		} else yield chunk
	}
	if (!beginning) return
	rejectText(beginning)
	yield beginning
}

function rejectText(bytes: Buffer): void {
	const text = bytes.toString('latin1', 0, SNIFFED_BYTES).replace(/^(\xef\xbb\xbf)?\s*/, '')
	if (/^<(!doctype html|html|head|body|script)/i.test(text)) throw webPageError()
	if (text.startsWith('#EXTM3U') || /^(<\?xml[^>]*>\s*)?<MPD/.test(text))
		throw new SourceError('this URL is a playlist; use the URL of a video file')
	if (/^(<\?xml|[{[]\s*")/.test(text))
		throw new SourceError('this URL is a text document; use the URL of a video file')
}

const webPageError = () => new SourceError('this URL is a web page; use the URL of the video file')

const formatBytes = (bytes: number): string => {
	const [size, unit] = bytes < 1024 ** 3 ? [bytes / 1024 ** 2, 'MiB'] : [bytes / 1024 ** 3, 'GiB']
	return `${size.toFixed(1).replace(/\.0$/, '')} ${unit}`
}

const tooLargeError = (maxBytes: number) =>
	new SourceError(`the video is larger than the limit of ${formatBytes(maxBytes)}`)
