/**
 * - `retryable`: the same call may work later. - `final`: it won't work until somebody changes the settings, the
 * account or the audio. - `malformed`: the response violates the provider's API.
 */
export type ErrorKind = 'retryable' | 'final' | 'malformed'

export type ProviderErrorCode =
	| 'rate_limited'
	| 'unavailable'
	| 'timeout'
	| 'no_connection'
	| 'broke_off'
	| 'unauthorized'
	| 'out_of_credit'
	| 'rejected'
	| 'address_refused'
	| 'redirected'
	| 'not_json'
	| 'too_large'
	| 'no_times'
	| 'unexpected_answer'
	| 'not_configured'
	| 'refused'
	| 'unusable'

const kinds: Record<ProviderErrorCode, ErrorKind> = {
	rate_limited: 'retryable',
	unavailable: 'retryable',
	timeout: 'retryable',
	no_connection: 'retryable',
	broke_off: 'retryable',
	unauthorized: 'final',
	out_of_credit: 'final',
	rejected: 'final',
	address_refused: 'final',
	redirected: 'final',
	no_times: 'final',
	not_configured: 'final',
	refused: 'final',
	not_json: 'malformed',
	too_large: 'malformed',
	unexpected_answer: 'malformed',
	unusable: 'malformed',
}

/** Why a provider gave no result. The message is shown to people and contains no key. */
export class ProviderError extends Error {
	override name = 'ProviderError'
	readonly code: ProviderErrorCode
	/** How long the provider wants us to wait; null if it does not say. */
	readonly retryAfterMs: number | null
	/** Whether the provider had accepted the work, and may charge for it. */
	readonly isAfterStart: boolean

	constructor(
		code: ProviderErrorCode,
		message: string,
		retryAfterMs: number | null = null,
		isAfterStart = false,
	) {
		super(message)
		this.code = code
		this.retryAfterMs = retryAfterMs
		this.isAfterStart = isAfterStart
	}

	get kind(): ErrorKind {
		return kinds[this.code]
	}
}

/** Runs a step after the provider accepted the work, and marks its errors accordingly. */
export async function runAfterStart<T>(step: () => Promise<T>): Promise<T> {
	try {
		return await step()
	} catch (error) {
		if (!(error instanceof ProviderError)) throw error
		throw new ProviderError(error.code, error.message, error.retryAfterMs, true)
	}
}

const MAX_QUOTED = 200
/** Longer texts are truncated before the key search, because hostile ones have megabytes. */
const MAX_SEARCHED = 2_000
/** Providers may quote a truncated key, as in `Incorrect API key provided: sk-ab***xyz`. */
const KEY_PART_LENGTH = 8

/** Shortens a provider's text to one line of at most 200 characters, and removes the API key and longer parts of it. */
export function quoteUpstream(text: string, key: string | null): string {
	const line = text
		.slice(0, MAX_SEARCHED)
		.replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
		.trim()
	return scrub(line, key).slice(0, MAX_QUOTED)
}

function scrub(text: string, key: string | null): string {
	if (!key) return text
	let clean = text.replaceAll(key, '…')
	for (let at = 0; at + KEY_PART_LENGTH <= key.length; at++)
		clean = clean.replaceAll(key.slice(at, at + KEY_PART_LENGTH), '…')
	return clean
}
