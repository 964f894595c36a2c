import type { ByteRange, ObjectHead } from './bucket.ts'

/** Parses a single byte range; null for a malformed header or several ranges, which servers may ignore. */
export function parseRange(header: string | null): ByteRange | null {
	const [, first = '', last = ''] = /^\s*bytes\s*=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '') ?? []
	if (first === '') return last === '' ? null : { suffix: whole(last) }
	if (last === '') return { offset: whole(first) }
	const length = whole(last) - whole(first) + 1
	return length < 1 ? null : { offset: whole(first), length }
}

// No object exceeds 2^53 bytes, and R2 takes only safe integers.
const whole = (digits: string): number => Math.min(Number(digits), Number.MAX_SAFE_INTEGER - 1)

export type Verdict = 'go' | 'unchanged' | 'failed'

/** Evaluates the conditions of RFC 9110 §13.2.2. Drops the object's milliseconds, since HTTP dates have none. */
export function evaluateConditions(
	headers: Headers,
	{ etag, uploadedAt }: Pick<ObjectHead, 'etag' | 'uploadedAt'>,
): Verdict {
	const modified = Math.floor(uploadedAt / 1000) * 1000
	const match = headers.get('if-match')
	const unmodifiedSince = dateOf(headers.get('if-unmodified-since'))
	if (match !== null) {
		if (match.trim() !== '*' && !tagsOf(match).includes(`"${etag}"`)) return 'failed'
	} else if (unmodifiedSince !== null && modified > unmodifiedSince) return 'failed'

	const noneMatch = headers.get('if-none-match')
	const modifiedSince = dateOf(headers.get('if-modified-since'))
	if (noneMatch !== null) {
		if (matchesEtag(noneMatch, `"${etag}"`)) return 'unchanged'
	} else if (modifiedSince !== null && modified <= modifiedSince) return 'unchanged'
	return 'go'
}

/** Whether `If-None-Match` names an etag, by the weak comparison of RFC 9110. */
export const matchesEtag = (noneMatch: string, etag: string): boolean =>
	noneMatch.trim() === '*' || tagsOf(noneMatch).some((tag) => tag.replace(/^W\//, '') === etag)

const tagsOf = (header: string): string[] => header.match(/(W\/)?"[^"]*"/g) ?? []

function dateOf(header: string | null): number | null {
	const date = Date.parse(header ?? '')
	return Number.isNaN(date) ? null : date
}
