import { createAuth } from 'circleso/auth'
import { createHeadless, type HeadlessApi } from 'circleso/headless'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { signup } from '#schema/contract/accounts/identity.ts'
import { createCommunity } from '#schema/contract/community/manage/communities.ts'
import { createSpace } from '#schema/contract/community/manage/spaces.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'

const email = 'ada@example.org'

let worker: RunningWorker
let circle: HeadlessApi
let auth: ReturnType<typeof createAuth>
let refreshToken: string
beforeAll(async () => {
	worker = await startWorker()
	const client = createClient<AbortSignal>({ baseUrl: worker.url, fetch })
	const account = { email, password: 'correct horse battery', name: 'Ada Fern' }
	const { token, org } = (await client.call(signup, { body: account })).data
	const own = { token }
	const community = await client.call(createCommunity, { body: { name: 'Club', slug: 'club' } }, own)
	const params = { communityId: String(community.data.id) }
	const space = { name: 'General', slug: 'general', spaceType: 'basic', visibility: 'public' } as const
	await client.call(createSpace, { params, body: space as never }, own)
	const key = await client.call(
		createApiKey,
		{ params: { orgId: org.id }, body: { name: 'x', scopes: ['headless:auth'] } },
		own,
	)
	auth = createAuth({ token: key.data.key, baseUrl: worker.url })
	const tokens = await auth.authToken.create({ email })
	refreshToken = String(tokens?.refresh_token)
	circle = createHeadless({ accessToken: String(tokens?.access_token), baseUrl: worker.url })
})
afterAll(() => worker?.dispose())

/** The specification wraps this list in an envelope, where Circle has an array. */
const spacesSeenBy = async (api: HeadlessApi) =>
	((await api.spaces.list()) as unknown as { records: { id: number; name: string }[] }).records

const rich = (text: string) => ({
	body: { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text }] }] },
})

test('a client written for Circle reads spaces, posts, members, events and notifications', async () => {
	const [space] = await spacesSeenBy(circle)
	const spaceId = Number(space?.id)
	expect(space).toMatchObject({ name: 'General' })
	expect((await circle.spaces.get(spaceId))?.id).toBe(spaceId)
	expect((await circle.spaces.home())?.id).toBe(spaceId)
	for (const list of [
		await circle.home.list(),
		await circle.posts.list(spaceId),
		await circle.bookmarks.list(),
		await circle.events.list(),
		await circle.notifications.list(),
		await circle.communityLinks.list(),
		await circle.pageProfileFields.list({ page_name: 'signup' }),
	])
		expect((list as { records: unknown[] }).records).toEqual([])
	expect((await circle.communityMembers.list())?.records).toHaveLength(1)
	expect(await circle.communityMembers.current()).toMatchObject({ name: 'Ada Fern' })
	expect(await circle.notifications.newCount()).toMatchObject({ new_notifications_count: 0 })
	expect(await circle.notifications.resetNewCount()).toMatchObject({ new_notifications_count: 0 })
	expect((await circle.search.query({ search_text: 'nothing of it' }))?.records).toEqual([])
	expect((await circle.communityMembers.search({ search_text: '' }))?.records).toHaveLength(1)
})

test('a client written for Circle writes posts, comments, replies, likes, bookmarks and flags', async () => {
	const spaceId = Number((await circle.spaces.home())?.id)
	const post = await circle.posts.create(spaceId, { name: 'Hello', tiptap_body: rich('World') as never })
	const postId = Number(post?.id)
	expect(await circle.posts.get(spaceId, postId)).toMatchObject({ name: 'Hello', body: 'World' })

	const comment = await circle.comments.create(postId, { comment: { body: 'One' } })
	const commentId = Number(comment?.id)
	const reply = await circle.comments.replies.create(String(commentId), {
		comment: { tiptap_body: rich('Two') as never },
	})
	const replyId = Number(reply?.id)
	expect((await circle.comments.list(postId))?.records).toHaveLength(1)
	expect(await circle.comments.get(postId, commentId)).toMatchObject({ body: 'One' })
	expect(await circle.comments.replies.get(String(commentId), String(replyId))).toMatchObject({ body: 'Two' })
	expect(await circle.comments.update(postId, commentId, { comment: { body: 'New' } })).toMatchObject({
		body: 'New',
	})

	await circle.posts.likes.create(String(postId))
	await circle.comments.likes.create(commentId)
	expect((await circle.posts.likes.list(String(postId)))?.records).toHaveLength(1)
	await circle.posts.likes.delete(String(postId))
	expect((await circle.posts.likes.list(String(postId)))?.records).toEqual([])
	expect((await circle.comments.likes.list(commentId))?.records).toHaveLength(1)

	await circle.bookmarks.create({ bookmark_type: 'post', record_id: postId })
	expect((await circle.bookmarks.list())?.records).toHaveLength(1)
	await circle.flaggedContents.create({
		flagged_content: {
			flagged_contentable_type: 'Comment',
			flagged_contentable_id: commentId,
			reported_reason_type: 'spam',
			reported_reason_body: 'Only a test',
		},
	})

	await circle.comments.replies.delete(String(commentId), String(replyId))
	await circle.comments.delete(postId, commentId)
	await circle.posts.delete(spaceId, postId)
	expect((await circle.posts.list(spaceId))?.records).toEqual([])
})

test('a client written for Circle refreshes its token', async () => {
	const refreshed = await auth.accessToken.refresh({ refresh_token: refreshToken })
	const again = createHeadless({ accessToken: String(refreshed?.access_token), baseUrl: worker.url })
	expect(await spacesSeenBy(again)).toHaveLength(1)
})

test('a client written for Circle gets 404 for cookies and uploads, which are missing here', async () => {
	await expect(circle.cookies.create()).rejects.toMatchObject({ status: 404 })
	const blob = { key: 'x', filename: 'x.png', content_type: 'image/png', byte_size: 1, checksum: 'x' }
	await expect(circle.directUploads.create({ blob })).rejects.toMatchObject({ status: 404 })
})
