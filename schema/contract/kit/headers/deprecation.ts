/** Why callers should leave an operation. Dates are days in UTC, such as `2027-03-01`. */
export type Deprecation = {
	readonly since: string
	/** The day from which the operation may be removed; absent while that is not decided. */
	readonly sunset?: string
	/** What replaces it, as the end of a sentence that begins with "use". */
	readonly use: string
}

const DAY_MS = 24 * 60 * 60 * 1000
/** How long an operation stays after it was deprecated. */
const NOTICE_DAYS = 180

function toInstant(day: string): number {
	const at = Date.parse(`${day}T00:00:00Z`)
	if (Number.isNaN(at)) throw new RangeError(`${day} is not a day; write it as 2027-03-01`)
	return at
}

/** Throws if the operation would be removed before callers had time to leave it. */
export function requireNotice({ since, sunset }: Deprecation): void {
	const earliest = toInstant(since) + NOTICE_DAYS * DAY_MS
	if (sunset !== undefined && toInstant(sunset) < earliest)
		throw new RangeError(
			`the sunset ${sunset} is less than ${NOTICE_DAYS} days after ${since}; choose a later day`,
		)
}

/** Returns the headers `Deprecation` (RFC 9745) and `Sunset` (RFC 8594). */
export const formatDeprecationHeaders = ({ since, sunset }: Deprecation): Record<string, string> => ({
	Deprecation: `@${toInstant(since) / 1000}`,
	...(sunset !== undefined && { Sunset: new Date(toInstant(sunset)).toUTCString() }),
})

export const describeDeprecation = ({ since, sunset, use }: Deprecation): string =>
	`Deprecated since ${since}; use ${use}. ${
		sunset === undefined ? 'No day of removal is decided.' : `It may be removed from ${sunset} on.`
	}`
