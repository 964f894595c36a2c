import { ReportId } from '#schema/contract/watch/analytics/player-events.ts'
import { SECOND } from '../../../../platform/clock.ts'
import { sha256 } from '../../../../platform/tokens/digest.ts'

const MAX_SID_LENGTH = 64
const SESSION_ID_LENGTH = 22

/** The default of the specification. With CMCD, the server can't choose how often a player reports. */
export const CMCD_INTERVAL_MS = 30 * SECOND

/** Derives a session id in our format. The same `sid` gives the same id, in events and in media requests. */
export async function deriveSessionId(sid: string): Promise<string> {
	return (await sha256(`cmcd ${sid}`)).slice(0, SESSION_ID_LENGTH)
}

/** Returns the `sid` as the report id, because players log it. Null if it has another format. */
export const parseReportId = (sid: string): string | null => ReportId.safeParse(sid).data ?? null

export const isSid = (sid: string | undefined): sid is string =>
	sid !== undefined && sid !== '' && sid.length <= MAX_SID_LENGTH
