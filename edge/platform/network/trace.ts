/** The header `traceparent` of W3C Trace Context. Later versions may append fields. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/
const MAX_LENGTH = 200

const randomHex = (digits: number): string => crypto.randomUUID().replaceAll('-', '').slice(0, digits)

export const newTraceId = (): string => randomHex(32)

/** Returns the trace of a caller, or null if the header is missing or malformed. */
export function parseTraceId(traceparent: string | null): string | null {
	if (traceparent === null || traceparent.length > MAX_LENGTH) return null
	const [, version, traceId = null, more] = TRACEPARENT.exec(traceparent) ?? []
	return version === '00' && more !== undefined ? null : traceId
}

export const formatTraceparent = (traceId: string): string => `00-${traceId}-${randomHex(16)}-01`
