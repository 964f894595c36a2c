import { type SQL, sql } from 'drizzle-orm'
import { mergeSpaces } from '../access/merged-spaces.ts'
import { type Viewer, visibleSpaces } from '../access/visible-spaces.ts'

export type EventFilter = {
	/** Events start at this time or later. */
	from?: number | undefined
	/** Events start before this time. */
	to?: number | undefined
	spaceId?: number | undefined
	/** Only events with an RSVP of the viewer. */
	isMine?: boolean
}

/** Selects the ids of one page of matching events, in calendar order. */
export function selectEvents(viewer: Viewer, filter: EventFilter, limit: number, offset: number): SQL {
	if (filter.isMine)
		return sql`
			select e.id ${matchingEvents(viewer, filter)}
			order by e.starts_at, e.id limit ${limit} offset ${offset}
		`
	const { from, to, spaceId } = filter
	return mergeSpaces(
		viewer,
		{
			rows: 'events',
			at: 'starts_at',
			order: 'earliest first',
			...(from !== undefined && { from: sql`y.starts_at >= ${from}` }),
			...(to !== undefined && { where: sql`y.starts_at < ${to}` }),
			...(spaceId !== undefined && { spaces: sql`s.id = ${spaceId}` }),
		},
		limit,
		offset,
	)
}

/** Counts the matching events, in the index of each visible space. */
export const countEvents = (viewer: Viewer, filter: EventFilter): SQL =>
	filter.isMine
		? sql`select count(*) as count ${matchingEvents(viewer, filter)}`
		: sql`
			select coalesce(
				sum((select count(*) from events e where e.space_id = s.id and ${isInRange(filter)})),
				0
			) as count
			from spaces s
			where ${visibleSpaces(viewer)} and ${isInSpace(filter)}
		`

/** Starts the join at the viewer's RSVPs, because a member has far fewer RSVPs than a community has events. */
const matchingEvents = (viewer: Viewer, filter: EventFilter) => sql`
	from event_rsvps r
	cross join events e on e.id = r.event_id
	cross join spaces s on s.id = e.space_id
	where r.membership_id = ${viewer.membershipId}
		and ${isInRange(filter)}
		and ${isInSpace(filter)}
		and ${visibleSpaces(viewer)}
`

const isInRange = ({ from, to }: EventFilter): SQL => sql`
	${from === undefined ? sql`true` : sql`e.starts_at >= ${from}`}
	and ${to === undefined ? sql`true` : sql`e.starts_at < ${to}`}
`

const isInSpace = ({ spaceId }: EventFilter): SQL =>
	spaceId === undefined ? sql`true` : sql`s.id = ${spaceId}`
