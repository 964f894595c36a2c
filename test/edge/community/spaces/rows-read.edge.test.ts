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

test('a member who wrote the newest posts sees older posts of others as unread, at a limited number of rows', async () => {
	const { world, community, ada, spaceId } = await openHeadless()
	const { membershipId, userId } = { membershipId: ada.memberId, userId: ada.userId }
	const viewer = { membershipId, userId, communityId: community.id, role: 'member', now: world.now } as const
	const fill = (author: number | null, from: number, to: number) =>
		select(
			world,
			`insert into posts (community_id, space_id, author_id, body, created_at, updated_at) with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to}) select ${community.id}, ${spaceId}, ${author}, 'b', ${world.now} + i, i from n returning 1`,
		)
	const read = async () => {
		let unread: number | undefined
		const rows = await rowsReadBy(async (db) => {
			unread = (await spaceStore(db).list(viewer))[0]?.unreadCount
		})
		return { unread, rows }
	}
	await fill(null, 1, 30)
	await fill(userId, 31, 35)
	expect((await read()).unread).toBe(20)
	await fill(userId, 36, 225)
	expect((await read()).unread).toBe(5)
	await fill(userId, 226, 1_000)
	const many = await read()
	expect(many.unread).toBe(0)
	await fill(userId, 1_001, 10_000)
	expect((await read()).rows).toBe(many.rows)
})
