import { SECOND } from '../../platform/clock.ts'
import { withTimeout } from '../../platform/network/time-limit.ts'
import { AppError } from '../errors.ts'
import { readContentLength } from '../headers.ts'

/** The minimum pace of a body. */
export type Pace = { graceMs: number; bytesPerSecond: number }

/** A connection of 32 kbit/s is fast enough. */
const slowest: Pace = { graceMs: 20 * SECOND, bytesPerSecond: 4_096 }

/**
 * Yields the chunks of a body, limited in bytes and pace. Yields no empty chunks, so an empty body yields nothing,
 * regardless of headers. Rejects a content-encoding at the first byte, so that decompression can't inflate a body.
 */
export async function* readBodyChunks(
	request: Request,
	maxBytes: number,
	pace: Pace = slowest,
): AsyncGenerator<Uint8Array> {
	const { headers, body } = request
	const tooLargeError = () => new AppError('too_large', `the body is larger than ${maxBytes} bytes`)
	const tooSlowError = () => new AppError('request_timeout', 'the body arrived too slowly; send it again')
	const reader = body?.getReader()
	const startedAt = performance.now()
	let size = 0
	try {
		if ((readContentLength(headers) ?? 0) > maxBytes) throw tooLargeError()
		while (reader) {
			const endsAt = startedAt + pace.graceMs + (size / pace.bytesPerSecond) * SECOND
			const chunk = await withTimeout(endsAt - performance.now(), reader.read(), tooSlowError)
			if (chunk.done) return
			if (chunk.value.byteLength === 0) continue
			if (size === 0) refuseEncoded(headers)
			size += chunk.value.byteLength
			if (size > maxBytes) throw tooLargeError()
			yield chunk.value
		}
	} catch (error) {
		if (error instanceof AppError) throw error
		throw new AppError('malformed', 'the body ended early; send it again', { cause: error })
	} finally {
		// An unread body keeps the connection busy.
		await reader?.cancel().catch(() => undefined)
	}
}

function refuseEncoded(headers: Headers): void {
	if ((headers.get('content-encoding') ?? 'identity').trim().toLowerCase() !== 'identity')
		throw new AppError('unsupported_media_type', 'send the body without a content-encoding')
}
