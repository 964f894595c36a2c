import { expect, test } from 'vitest'
import { createPost } from '#schema/contract/community/member/posts.ts'
import { listSpaces, markSpaceRead } from '#schema/contract/community/member/spaces.ts'
import { openHeadless } from '../community.ts'

test('unread posts are the posts of others since the member joined or marked the space as read', async () => {
	const { world, community, ada, spaceId } = await openHeadless()
	const other = await community.space({ position: 1 })
	const secret = await community.space({ visibility: 'secret' })
	const bo = await community.member()
	const post = (who: typeof ada, id = spaceId) => {
		world.pass(1)
		return world.ask(createPost, { params: { spaceId: String(id) }, body: { body: 'x' } }, who)
	}
	const unread = async (who = ada) => {
		const { records } = (await world.ask(listSpaces, {}, who)).ok
		return records.filter(({ id }) => id !== secret).map((one) => one.unread_posts_count)
	}
	const markRead = (id = spaceId, who: typeof ada = ada) =>
		world.ask(markSpaceRead, { params: { spaceId: String(id) } }, who)
	await community.post(spaceId, { created_at: 1 })
	expect(await unread(), 'the post is older than the membership').toEqual([0, 0])
	await post(bo)
	await post(ada)
	await post(bo, other)
	expect(await unread()).toEqual([1, 1])
	expect(await unread(bo)).toEqual([1, 0])
	world.pass(1)
	expect((await Promise.all([markRead(), markRead(), markRead(other)])).map(({ status }) => status)).toEqual([
		200, 200, 200,
	])
	expect(await unread()).toEqual([0, 0])
	expect(await unread(bo), 'the count of another member is unchanged').toEqual([1, 0])
	await post(bo)
	expect(await unread()).toEqual([1, 0])
	expect((await markRead(secret)).status).toBe(404)
	expect((await markRead(secret, community.owner)).status, 'an owner sees every space').toBe(200)
})
