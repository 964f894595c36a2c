import { PlaybackId } from '#schema/contract/kit/fields.ts'
import type { ActivityReport } from '../../sessions/timed-event.ts'
import type { EventProblem, SessionEvents } from '../read-events.ts'
import { toPlaybackReport } from './cmcd-report.ts'
import { CMCD_INTERVAL_MS, deriveSessionId, isSid, parseReportId } from './cmcd-session.ts'
import { CMCD_FORM, parseCmcd } from './values.ts'

const VERSION = 2

type CmcdRecord = { playbackId: string; sid: string; report: ActivityReport }

/** Validates each CMCD record separately and groups the records by session. */
export async function readCmcd(
	records: readonly unknown[],
	/** The page that embeds the player, if the browser sends it. */
	referrer: string | undefined,
): Promise<{ sessions: SessionEvents[]; problems: EventProblem[] }> {
	const problems: EventProblem[] = []
	const sessions = new Map<string, SessionEvents>()
	for (const [index, text] of records.entries()) {
		const record = readRecord(String(text))
		if (typeof record === 'string') {
			problems.push({ index, code: 'invalid', message: record })
			continue
		}
		const { playbackId, sid, report } = record
		const key = `${playbackId} ${sid}`
		const session = sessions.get(key) ?? {
			playbackId,
			sessionId: await deriveSessionId(sid),
			reportId: parseReportId(sid) ?? undefined,
			player: 'other',
			referrer,
			indexes: [],
			state: null,
			events: [],
			isEnd: false,
			ownIntervalMs: CMCD_INTERVAL_MS,
		}
		session.indexes.push(index)
		session.events.push(report)
		sessions.set(key, session)
	}
	return { sessions: [...sessions.values()], problems }
}

/** Returns the parsed record, or the validation error. */
function readRecord(text: string): CmcdRecord | string {
	const values = parseCmcd(text)
	if (!values) return `must be ${CMCD_FORM}`
	if (values.number('v') !== VERSION) return 'v: must be 2; other versions of CMCD have no events'
	if (values.text('e') === undefined) return 'e: must be the type of the event'
	const at = values.number('ts')
	if (at === undefined || !Number.isInteger(at)) return 'ts: must be the time in milliseconds since 1970'
	const sid = values.text('sid')
	if (!isSid(sid)) return 'sid: must be 1 to 64 characters'
	const { data: playbackId } = PlaybackId.safeParse(values.text('cid'))
	if (playbackId === undefined) return 'cid: must be the playback id of the video'
	return { playbackId, sid, report: toPlaybackReport(values, at) }
}
