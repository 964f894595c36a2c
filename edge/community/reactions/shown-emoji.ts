import { type SQL, sql } from 'drizzle-orm'
import { LIKE } from '#schema/contract/community/reaction.ts'

/**
 * SQL for a stored reaction as shown: a name outside the community's set is a `like`. Reactions were once free text.
 */
export const selectShownEmoji = (communityId: number, emoji: SQL): SQL =>
	sql`
		case
			when ${emoji} glob '*[^a-z0-9_+-]*' or exists (
				select 1 from communities c, json_each(c.reactions) o
				where c.id = ${communityId} and o.value = ${emoji}
			) then ${emoji}
			else ${LIKE}
		end
	`
