import { listErrorCauses } from './causes.ts'

/** Longer than any of our statements, and shorter than callers wait. */
const TIMEOUT_MS = 10_000

/** The database is unreachable, or a proxy in front of it responded instead. */
export class DatabaseUnavailableError extends Error {
	override name = 'DatabaseUnavailableError'
}

/**
 * The `fetch` of the libSQL client. Throws a separate error for connection failures, so that they are not attributed
 * to a statement.
 */
export const fetchDatabase = async (request: Request): Promise<Response> => {
	const aborter = new AbortController()
	// Not `AbortSignal.timeout`, whose timer outlives the response. A runtime allows 10,000 timers.
	const timer = setTimeout(() => aborter.abort(new Error('the response took too long')), TIMEOUT_MS)
	try {
		const response = await fetch(request, { signal: aborter.signal })
		if (response.ok) return new Response(await response.arrayBuffer(), response)
		await response.body?.cancel()
		throw new DatabaseUnavailableError(`the database server returned ${response.status}`)
	} catch (cause) {
		if (cause instanceof DatabaseUnavailableError) throw cause
		throw new DatabaseUnavailableError("the database can't be reached", { cause })
	} finally {
		clearTimeout(timer)
	}
}

/** Returns true if a retry may succeed, because the database did not reject the statement itself. */
export function isDatabaseUnavailable(error: unknown): boolean {
	for (const cause of listErrorCauses(error)) {
		if (cause instanceof DatabaseUnavailableError) return true
		if (libsqlCodes.test(String((cause as { code?: unknown }).code))) return true
		if (/^D1_/.test(cause.message) && d1Messages.test(cause.message)) return true
	}
	return false
}

/** Returns true if the database or its disk is full. */
export function isDatabaseFull(error: unknown): boolean {
	for (const cause of listErrorCauses(error)) {
		if (String((cause as { code?: unknown }).code).startsWith('SQLITE_FULL')) return true
		if (/^D1_/.test(cause.message) && /SQLITE_FULL|Exceeded maximum DB size/.test(cause.message)) return true
	}
	return false
}

const libsqlCodes = /^(SQLITE_BUSY|SQLITE_LOCKED|TRANSACTION_BUSY|TRANSACTION_TIMEOUT|PROXY_ERROR)/

// Errors that Cloudflare's list calls transient or load-related.
const d1Messages =
	/Network connection lost|caused object to be reset|reset because its code was updated|is overloaded|Too many requests queued|Cannot resolve D1 DB|Internal error/
