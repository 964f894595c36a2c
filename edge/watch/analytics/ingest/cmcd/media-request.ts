import { parseSegmentPath } from '../../../playback/segment-path.ts'
import type { ServedMedia } from '../../../playback/served-media.ts'
import { isSid } from './cmcd-session.ts'
import type { ServedSegment } from './pending-segments.ts'
import { type CmcdValues, parseCmcd } from './values.ts'

const HEADERS = ['CMCD-Request', 'CMCD-Object', 'CMCD-Status', 'CMCD-Session']
const PARAMETER = 'CMCD'
const NEWEST_VERSION = 2
const AUDIO = 'a'
/** Segments of other hosts are longer, but ours are not. */
const MAX_SEGMENT_MS = 60_000

/** Returns what a segment request reports about its session; null without CMCD or for other files. */
export function readSegmentRequest({
	request,
	path,
	share,
}: Pick<ServedMedia, 'request' | 'path' | 'share'>): { sid: string; segment: ServedSegment } | null {
	const file = parseSegmentPath(path)
	if (!file) return null
	const values = valuesIn(request)
	const sid = values?.text('sid')
	if (!values || !isSid(sid) || (values.number('v') ?? 1) > NEWEST_VERSION) return null
	const ms = values.number('d') ?? 0
	const height = values.text('ot') === AUDIO ? null : (file.quality?.lines ?? null)
	const isCounted = height !== null && ms > 0 && ms <= MAX_SEGMENT_MS
	return {
		sid,
		segment: {
			// A range of a segment counts by its bytes.
			deliveredMs: isCounted ? { [height]: ms * share } : {},
			isStarved: values.isTrue('bs'),
		},
	}
}

/** A request has either headers or a query. If a proxy adds the other, the headers take precedence. */
function valuesIn({ headers, url }: Request): CmcdValues | null {
	const parts = HEADERS.flatMap((name) => headers.get(name) ?? [])
	if (parts.length > 0) return parseCmcd(parts.join(','))
	if (!url.includes(PARAMETER)) return null
	const query = new URL(url).searchParams.get(PARAMETER)
	return query === null ? null : parseCmcd(query)
}
