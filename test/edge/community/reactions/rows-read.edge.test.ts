/** @module-tag d1 */
import { expect, test } from 'vitest'
import { postStore } from '../../../../edge/community/posts/store.ts'
import { rowsReadBy } from '../../../support/edge/rows-read.ts'
import { openWorld } from '../../../support/edge/world.ts'
import { openCommunity, select } from '../community.ts'

test('a page of twenty posts with five thousand reactions each reads at most 200 rows', async () => {
	const world = await openWorld()
	const community = await openCommunity(world)
	const ada = await community.member()
	const spaceId = await community.space()
	for (let i = 0; i < 20; i++) await community.post(spaceId)
	await select(
		world,
		`insert into post_reactions (membership_id, post_id, emoji, created_at)
		with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
		select 1000 + n.i, p.id, 'like', 1 from posts p, n returning 1`,
	)
	await select(world, `update posts set reactions = '{"like":5000}' returning 1`)
	const viewer = {
		userId: ada.userId,
		membershipId: ada.memberId,
		communityId: community.id,
		role: 'member' as const,
		now: world.now,
	}
	const rows = await rowsReadBy(async (db) => {
		const page = await postStore(db).listInSpace(viewer, spaceId, 20, { sort: 'latest', from: 0 })
		expect(page.map(({ reactions }) => reactions)).toEqual(Array(20).fill('{"like":5000}'))
	})
	expect(rows).toBeLessThanOrEqual(200)
})
