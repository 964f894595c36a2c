import { eq, sql } from 'drizzle-orm'
import type { CommunityRole } from '#schema/contract/community/fields.ts'
import { calendarFeeds } from '#schema/tables/community/community.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { selectEvents } from '../events/filtered-events.ts'
import type { CalendarEvent } from './icalendar.ts'

type Reader = Omit<Viewer, 'now' | 'role'> & { role: CommunityRole; communityName: string }

export const calendarStore = (db: Db) => ({
	async list(viewer: Viewer, from: number, limit: number): Promise<CalendarEvent[]> {
		return db.all(sql`
			select e.id, e.title, e.description, e.starts_at as startsAt, e.ends_at as endsAt,
				e.updated_at as updatedAt, e.in_person_location as inPersonLocation, e.virtual_url as virtualUrl
			from events e
			where e.id in (${selectEvents(viewer, { from }, limit, 0)})
			order by e.starts_at, e.id
		`)
	},

	async findReader(tokenHash: string): Promise<Reader | undefined> {
		const [row] = await db.all<Reader>(sql`
			select m.id as membershipId, m.user_id as userId, m.community_id as communityId, m.role,
				c.name as communityName
			from calendar_feeds f
			join memberships m on m.id = f.membership_id and m.status = 'active'
			join users u on u.id = m.user_id and u.locked_at is null
			join communities c on c.id = m.community_id
			left join orgs o on o.id = c.org_id
			where f.token_hash = ${tokenHash} and o.suspended_at is null
		`)
		return row
	},

	async put(membershipId: number, tokenHash: string, now: number): Promise<void> {
		await db
			.insert(calendarFeeds)
			.values({ membershipId, tokenHash, createdAt: now })
			.onConflictDoUpdate({ target: calendarFeeds.membershipId, set: { tokenHash, createdAt: now } })
	},

	async remove(membershipId: number): Promise<void> {
		await db.delete(calendarFeeds).where(eq(calendarFeeds.membershipId, membershipId))
	},
})
