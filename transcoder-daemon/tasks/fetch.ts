import type { IncomingMessage } from 'node:http'
import { TemporaryError } from '../failure.ts'
import { IdleError, watchIdle } from '../idle.ts'
import { type Outside, outside } from '../public-address.ts'
import { getPublic, type Patience } from '../public-get.ts'
import { type RunTask, SourceError } from './task.ts'

export type FetchLimits = Patience & {
	idleMs: number
	/** What comes more slowly than this, after the first minute, does not come to an end. */
	leastBytesPerSec: number
	startSec: number
}

export type Internet = { outside: Outside; limits: FetchLimits; nowMs(): number }

export const theInternet: Internet = {
	outside,
	limits: { connectMs: 5_000, headersMs: 10_000, idleMs: 30_000, leastBytesPerSec: 32 * 1024, startSec: 60 },
	nowMs: () => performance.now(),
}

/** Brings a video from the address that its owner named straight to the store; nothing of it is kept here. */
export const fetchFrom =
	(internet: Internet): RunTask<'fetch'> =>
	async ({ url, maxBytes }, { outputs, progress, signal }) => {
		const begunAt = internet.nowMs()
		const answer = await getPublic(url, {}, internet.outside, internet.limits, signal)
		try {
			const length = checkAnswer(answer, maxBytes)
			const chunks = readBody(answer, { length, maxBytes, begunAt, progress, signal, internet })
			const { bytes, parts } = await outputs.putStream(checkBeginning(chunks))
			return {
				kind: 'fetch',
				sizeBytes: bytes,
				parts,
				...{ workSec: (internet.nowMs() - begunAt) / 1_000, mediaSec: 0, hwAccelUsed: false, notes: [] },
			}
		} finally {
			answer.destroy()
		}
	}

/** The length that is announced; null for none. */
function checkAnswer({ statusCode = 0, headers }: IncomingMessage, maxBytes: number): number | null {
	if (statusCode >= 500 || statusCode === 408 || statusCode === 429)
		throw new TemporaryError(`The server of the video answered with an error (${statusCode}).`)
	if (statusCode === 401 || statusCode === 403)
		throw new SourceError(`The server of the video does not give it to everyone (${statusCode}).`)
	if (statusCode === 404 || statusCode === 410)
		throw new SourceError(`There is no video at this address (${statusCode}).`)
	if (statusCode !== 200) throw new SourceError(`The server of the video answered ${statusCode}.`)
	if (/^(text\/html|application\/xhtml)/i.test(headers['content-type'] ?? '')) throw webPage()
	const coding = headers['content-encoding'] ?? 'identity'
	if (coding !== 'identity')
		throw new SourceError('The server of the video sends it compressed, though it was asked not to.')
	const length = headers['content-length']
	if (length === undefined) return null
	if (Number(length) > maxBytes) throw tooLarge(maxBytes)
	return Number(length)
}

type Reading = {
	length: number | null
	maxBytes: number
	begunAt: number
	progress(share: number): void
	signal: AbortSignal
	internet: Internet
}

/** The body, counted and timed whatever its headers said. */
async function* readBody(
	answer: IncomingMessage,
	{ length, maxBytes, begunAt, progress, signal, internet: { limits, nowMs } }: Reading,
): AsyncGenerator<Uint8Array> {
	using idle = watchIdle(limits.idleMs)
	const stop = AbortSignal.any([signal, idle.signal])
	const end = () => answer.destroy(stop.reason)
	stop.addEventListener('abort', end, { once: true })
	let bytes = 0
	try {
		for await (const chunk of answer as AsyncIterable<Buffer>) {
			idle.rest()
			bytes += chunk.length
			if (bytes > maxBytes) throw tooLarge(maxBytes)
			const seconds = (nowMs() - begunAt) / 1_000
			if (seconds > limits.startSec + bytes / limits.leastBytesPerSec)
				throw new TemporaryError('The server of the video sends it too slowly.')
			yield chunk
			idle.touch()
			if (length) progress(bytes / length)
		}
	} catch (error) {
		signal.throwIfAborted()
		if (error instanceof SourceError || error instanceof TemporaryError) throw error
		const isIdle = error instanceof IdleError
		const message = isIdle ? 'stopped sending it' : 'broke the connection off'
		throw new TemporaryError(`The server of the video ${message}.`, { cause: error })
	} finally {
		stop.removeEventListener('abort', end)
	}
	if (length !== null && bytes !== length)
		throw new TemporaryError('The server of the video broke the connection off.')
	if (bytes === 0) throw new SourceError('There is an empty file at this address.')
}

const SNIFFED_BYTES = 512

/** Lets bytes through once the first ones do not look like something that is no video. */
async function* checkBeginning(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	let beginning: Buffer | null = Buffer.alloc(0)
	for await (const chunk of chunks) {
		if (beginning) {
			beginning = Buffer.concat([beginning, chunk])
			if (beginning.length < SNIFFED_BYTES) continue
			refuseText(beginning)
			yield beginning
			beginning = null
		} else yield chunk
	}
	if (!beginning) return
	refuseText(beginning)
	yield beginning
}

function refuseText(bytes: Buffer): void {
	const text = bytes.toString('latin1', 0, SNIFFED_BYTES).replace(/^(\xef\xbb\xbf)?\s*/, '')
	if (/^<(!doctype html|html|head|body|script)/i.test(text)) throw webPage()
	if (text.startsWith('#EXTM3U') || /^(<\?xml[^>]*>\s*)?<MPD/.test(text))
		throw new SourceError('There is a playlist at this address. Only a whole video file can be imported.')
	if (/^(<\?xml|[{[]\s*")/.test(text))
		throw new SourceError('There is a text at this address, and not a video.')
}

const webPage = () =>
	new SourceError(
		'There is a web page at this address, and not a video file. Use the address of the file itself.',
	)

const readable = (bytes: number): string => {
	const [size, unit] = bytes < 1024 ** 3 ? [bytes / 1024 ** 2, 'MiB'] : [bytes / 1024 ** 3, 'GiB']
	return `${size.toFixed(1).replace(/\.0$/, '')} ${unit}`
}

const tooLarge = (maxBytes: number) =>
	new SourceError(`The video is larger than the ${readable(maxBytes)} that may be stored.`)
