import type { Member } from '../../http/caller.ts'
import { notFoundError } from '../../http/errors.ts'
import { DAY } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { randomBase64url, sha256 } from '../../platform/tokens/digest.ts'
import type { CalendarEvent } from './icalendar.ts'
import { calendarStore } from './store.ts'

const PAST_MS = 90 * DAY
const MAX_EVENTS = 500

/** Replaces the feed of the member, and so its address. Returns the token of the new one; the database has only its hash. */
export async function resetCalendarFeed({ db, now }: Deps, { membershipId }: Member): Promise<string> {
	const token = randomBase64url()
	await calendarStore(db).put(membershipId, await sha256(token), now)
	return token
}

export async function deleteCalendarFeed({ db }: Deps, { membershipId }: Member): Promise<void> {
	await calendarStore(db).remove(membershipId)
}

/** Returns the recent and coming events that the holder of the token can see. */
export async function readCalendarFeed(
	{ db, now }: Deps,
	token: string,
): Promise<{ communityName: string; events: CalendarEvent[] }> {
	const store = calendarStore(db)
	const reader = await store.findReader(await sha256(token))
	if (!reader) throw notFoundError('calendar')
	const { communityName, ...viewer } = reader
	return { communityName, events: await store.list({ ...viewer, now }, now - PAST_MS, MAX_EVENTS) }
}
