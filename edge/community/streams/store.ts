import { sql } from 'drizzle-orm'
import type { Db } from '../../platform/database/database.ts'
import { selectSpacesVisibleToMember } from '../access/visible-spaces.ts'

export const topicStore = (db: Db) => ({
	/** Returns those of the topics whose space the member may see now. */
	async listVisible(membershipId: number, topics: readonly string[], now: number): Promise<string[]> {
		const idIn = (from: number) => sql`cast(substr(j.value, ${from}) as integer)`
		const rows = await db.all<{ topic: string }>(sql`
			select j.value as topic from json_each(${JSON.stringify(topics)}) j
			cross join memberships m on m.id = ${membershipId}
			cross join spaces s on s.id = case
				when j.value glob 'space:*' then ${idIn(7)}
				else (select p.space_id from posts p where p.id = ${idIn(6)})
			end
			where ${selectSpacesVisibleToMember(now)}
		`)
		return rows.map(({ topic }) => topic)
	},
})
