/** Longer than any statement of ours takes, shorter than a caller waits. */
const ANSWER_WITHIN_MS = 10_000

/** The database could not be asked, or what answered was not the database. */
export class DatabaseUnavailableError extends Error {
	override name = 'DatabaseUnavailableError'
}

/** For the libSQL client: names what is the connection's fault, so it is never taken for a statement's. */
export const fetchDatabase = async (request: Request): Promise<Response> => {
	let response: Response
	try {
		response = await fetch(request, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
	} catch (cause) {
		throw new DatabaseUnavailableError('the database cannot be reached', { cause })
	}
	if (response.ok) return response
	await response.body?.cancel()
	throw new DatabaseUnavailableError(`the database's server answered ${response.status}`)
}

/** Whether trying again later may help: the statement itself was not refused. */
export function isDatabaseUnavailable(error: unknown): boolean {
	for (let one = error, depth = 0; one instanceof Error && depth < 5; one = one.cause, depth++) {
		if (one instanceof DatabaseUnavailableError) return true
		if (libsqlCodes.test(String((one as { code?: unknown }).code))) return true
		if (/^D1_/.test(one.message) && d1Words.test(one.message)) return true
	}
	return false
}

const libsqlCodes = /^(SQLITE_BUSY|SQLITE_LOCKED|TRANSACTION_BUSY|TRANSACTION_TIMEOUT|PROXY_ERROR)/

// From Cloudflare's list of D1 errors: what it calls transient or a matter of load.
const d1Words =
	/Network connection lost|caused object to be reset|reset because its code was updated|is overloaded|Too many requests queued|Cannot resolve D1 DB|Internal error/
