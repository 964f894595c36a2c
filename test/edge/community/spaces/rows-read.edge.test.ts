/** @module-tag d1 */
import { expect, test } from 'vitest'
import { spaceStore } from '../../../../edge/community/spaces/store.ts'
import { rowsReadBy } from '../../../support/edge/rows-read.ts'
import { openHeadless, select } from '../community.ts'

test('counting unread posts reads at most 20 posts of a space', async () => {
	const { world, community, ada, spaceId } = await openHeadless()
	const { membershipId, userId } = { membershipId: ada.memberId, userId: ada.userId }
	const viewer = { membershipId, userId, communityId: community.id, role: 'member', now: world.now } as const
	const fill = (from: number, to: number) =>
		select(
			world,
			`insert into posts (community_id, space_id, body, created_at, updated_at) with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to}) select ${community.id}, ${spaceId}, 'b', ${world.now} + i, i from n returning 1`,
		)
	const read = async () => {
		let unread: number | undefined
		const rows = await rowsReadBy(async (db) => {
			unread = (await spaceStore(db).list(viewer))[0]?.unreadCount
		})
		return { unread, rows }
	}
	await fill(1, 20)
	const few = await read()
	expect(few.unread).toBe(20)
	await fill(21, 2_000)
	expect(await read()).toEqual(few)
})
