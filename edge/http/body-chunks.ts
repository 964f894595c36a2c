import { SECOND } from '../platform/clock.ts'
import { AppError } from './errors.ts'

/** A body that comes more slowly holds a connection for nothing. */
export type Pace = { graceMs: number; bytesPerSecond: number }

/** A line of 32 kbit/s keeps up with it. */
const slowest: Pace = { graceMs: 20 * SECOND, bytesPerSecond: 4_096 }

/**
 * A body that is read whole, bounded while it streams: in bytes, and in time by what has come so far. What is encoded is
 * refused unread, so nothing grows by being unpacked.
 */
export async function* bodyChunks(
	request: Request,
	maxBytes: number,
	pace: Pace = slowest,
): AsyncGenerator<Uint8Array> {
	const { headers, body } = request
	const tooLarge = () => new AppError('too_large', `the body is larger than ${maxBytes} bytes`)
	const reader = body?.getReader()
	const startedAt = performance.now()
	let size = 0
	try {
		if ((headers.get('content-encoding') ?? 'identity').trim().toLowerCase() !== 'identity')
			throw new AppError('unsupported_media_type', 'send the body without a content-encoding')
		if (Number(headers.get('content-length') ?? 0) > maxBytes) throw tooLarge()
		while (reader) {
			const endsAt = startedAt + pace.graceMs + (size / pace.bytesPerSecond) * SECOND
			const chunk = await within(endsAt - performance.now(), reader.read())
			if (chunk.done) return
			size += chunk.value.byteLength
			if (size > maxBytes) throw tooLarge()
			yield chunk.value
		}
	} catch (error) {
		if (error instanceof AppError) throw error
		throw new AppError('malformed', 'the body broke off', { cause: error })
	} finally {
		// Left unread, a body keeps the connection busy.
		await reader?.cancel().catch(() => undefined)
	}
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
	const late = Promise.withResolvers<never>()
	const timer = setTimeout(
		() => late.reject(new AppError('request_timeout', 'the body came too slowly; send it again')),
		Math.max(0, ms),
	)
	try {
		return await Promise.race([work, late.promise])
	} finally {
		clearTimeout(timer)
	}
}
