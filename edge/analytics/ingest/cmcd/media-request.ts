import type { ServedMedia } from '../../../playback/served-media.ts'
import { isSid } from './cmcd-session.ts'
import type { ServedSegment } from './pending-segments.ts'
import { type CmcdValues, parseCmcd } from './values.ts'

const HEADERS = ['CMCD-Request', 'CMCD-Object', 'CMCD-Status', 'CMCD-Session']
const PARAMETER = 'CMCD'
const NEWEST_VERSION = 2
const SEGMENT = /\/\d+\.m4s$/
/** The folder of a rendition is named after its codec and quality, such as `h264-720p`. */
const HEIGHT = /(?:^|[/-])([1-9]\d{1,4})p\/\d+\.m4s$/
const AUDIO = 'a'
/** Segments of other hosts are longer, but ours are not. */
const MAX_SEGMENT_MS = 60_000

/** Returns what a request for a segment says about its session; null without CMCD, or for another file. */
export function segmentOf({
	request,
	path,
	offset,
}: ServedMedia): { sid: string; segment: ServedSegment } | null {
	if (!SEGMENT.test(path)) return null
	const values = valuesIn(request)
	const sid = values?.text('sid')
	if (!values || !isSid(sid) || (values.number('v') ?? 1) > NEWEST_VERSION) return null
	const ms = Math.round(values.number('d') ?? 0)
	const height = values.text('ot') === AUDIO ? undefined : HEIGHT.exec(path)?.[1]
	// A segment that is loaded in parts counts with the first.
	const isCounted = offset === 0 && ms > 0 && ms <= MAX_SEGMENT_MS
	return {
		sid,
		segment: {
			deliveredMs: height !== undefined && isCounted ? { [height]: ms } : {},
			isStarved: values.isTrue('bs'),
		},
	}
}

/** A request has either headers or a query. If a proxy made it both, the headers count. */
function valuesIn({ headers, url }: Request): CmcdValues | null {
	const parts = HEADERS.flatMap((name) => headers.get(name) ?? [])
	if (parts.length > 0) return parseCmcd(parts.join(','))
	if (!url.includes(PARAMETER)) return null
	const query = new URL(url).searchParams.get(PARAMETER)
	return query === null ? null : parseCmcd(query)
}
