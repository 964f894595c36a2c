import { afterEach, beforeEach, expect, test } from 'vitest'
import * as sessions from '#schema/contract/accounts/sessions.ts'
import { addPostImage, deleteImage, updateImage } from '#schema/contract/community/member/images.ts'
import { hidePost, restorePost } from '#schema/contract/community/member/moderation.ts'
import * as comments from '#schema/contract/community/member/post-comments.ts'
import { react, unreact } from '#schema/contract/community/member/post-reactions.ts'
import * as posts from '#schema/contract/community/member/posts.ts'
import { createStreamToken, streamCommunity } from '#schema/contract/community/member/streams.ts'
import { publishEvents } from '../../../../edge/platform/live-streams/live-streams-stub.ts'
import { type Listening, listenTo } from '../../../support/edge/listen.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { wholePng } from '../../../support/shared/whole-pictures.ts'
import { type Community, openCommunity, select } from '../community.ts'

type Member = Awaited<ReturnType<Community['member']>>
let world: World
let fixture: Community
let ada: Member
let bo: Member
let spaceId: number
let postId: number
const opened: Listening[] = []
beforeEach(async () => {
	world = await openWorld()
	fixture = await openCommunity(world)
	ada = await fixture.member()
	bo = await fixture.member()
	spaceId = await fixture.space()
	postId = await fixture.post(spaceId, { author_id: ada.userId })
})
afterEach(async () => {
	for (const stream of opened.splice(0)) await stream.end()
})

const tokenFor = async (who: Member, topics: string[]) =>
	(await world.ask(createStreamToken, { body: { topics } }, who)).ok.token

async function openStream(query: Record<string, string>, headers: Record<string, string> = {}) {
	const response = await listenTo(world, `${streamCommunity.path}?${new URLSearchParams(query)}`, headers)
	if (response.listening) opened.push(response.listening)
	return response
}

/** Opens a stream as a page does: it sends nothing but a token. */
async function listen(who: Member, topics: string[], lastEventId?: string) {
	const token = await tokenFor(who, topics)
	const { listening } = await openStream({ token, ...(lastEventId && { last_event_id: lastEventId }) })
	if (!listening) throw new Error('no stream')
	const first = await listening.next()
	return { ...listening, first }
}
const write = async (body = 'Hi') =>
	(await world.ask(comments.createPostComment, { params: { postId: `${postId}` }, body: { body } }, bo)).ok
const post = async (space: number, who: Member = bo) =>
	(await world.ask(posts.createPost, { params: { spaceId: `${space}` }, body: { body: 'New' } }, who)).ok

test('a live stream sends the changes of posts in a space once and in order', async () => {
	const stream = await listen(ada, [`space:${spaceId}`, `post:${postId}`])
	expect(stream.first?.data).toEqual({ type: 'ready' })
	const { id } = await post(spaceId)
	const params = { postId: `${id}` }
	await world.ask(posts.updatePost, { params, body: { body: 'Newer' } }, bo)
	await world.ask(hidePost, { params, body: { reason: 'Rude' } }, fixture.owner)
	await world.ask(restorePost, { params }, fixture.owner)
	await world.ask(posts.deletePost, { params }, bo)
	for (const type of ['created', 'updated', 'removed', 'restored', 'removed'])
		expect((await stream.next())?.data).toEqual({ type: `post.${type}`, space_id: spaceId, post_id: id })
})

test('a live stream sends an update of a post when an image is added, described or deleted, but not when an image is refused', async () => {
	const stream = await listen(ada, [`post:${postId}`])
	const add = (who: Member) =>
		world.ask(addPostImage, { params: { postId: `${postId}` } }, { ...who, bytes: wholePng })
	expect((await add(bo)).status).toBe(403)
	const { id } = (await add(ada)).ok
	const params = { imageId: `${id}` }
	await world.ask(updateImage, { params, body: { alt: 'A harbour' } }, ada)
	expect((await world.ask(deleteImage, { params }, bo)).status).toBe(403)
	await world.ask(deleteImage, { params }, ada)
	await write()
	const updated = { type: 'post.updated', space_id: spaceId, post_id: postId }
	for (let change = 0; change < 3; change++) expect((await stream.next())?.data).toEqual(updated)
	expect((await stream.next())?.data.type).toBe('comment.created')
})

test('a live stream of a post sends the changes of its comments', async () => {
	const stream = await listen(ada, [`post:${postId}`])
	const { id } = await write()
	const params = { commentId: `${id}` }
	const { id: reply } = (await world.ask(comments.createReply, { params, body: { body: 'Me too' } }, bo)).ok
	await world.ask(comments.updatePostComment, { params, body: { body: 'Hey' } }, bo)
	await world.ask(comments.deletePostComment, { params }, bo)
	const of = { space_id: spaceId, post_id: postId }
	const about = { ...of, comment_id: id, parent_comment_id: null }
	expect((await stream.next())?.data).toEqual({ type: 'comment.created', ...about })
	expect((await stream.next())?.data).toEqual({
		...{ type: 'comment.created', ...of, comment_id: reply, parent_comment_id: id },
	})
	expect((await stream.next())?.data).toEqual({ type: 'comment.updated', ...about })
	expect((await stream.next())?.data).toEqual({ type: 'comment.removed', ...about })
})

test('a live stream sends the counts of reactions: of frequent ones the first and the newest', async () => {
	const stream = await listen(ada, [`post:${postId}`])
	const target = { reactable_type: 'Post' as const, reactable_id: postId }
	const put = (reaction: string, who: Member) => world.ask(react, { body: { ...target, reaction } }, who)
	await put('👍', bo)
	await put('👍', bo)
	await put('👍', ada)
	await put('🎉', fixture.owner)
	await world.ask(unreact, { query: { ...target, reactable_id: `${postId}` } }, ada)
	const of = { type: 'reactions', space_id: spaceId, post_id: postId, ...target }
	expect((await stream.next())?.data).toEqual({ ...of, reactions: { '👍': 1 } })
	expect((await stream.next())?.data).toEqual({ ...of, reactions: { '👍': 1, '🎉': 1 } })
	await write()
	expect((await stream.next())?.data.type).toBe('comment.created')
})

test('sends notifications of the member, and to nobody else', async () => {
	const [own, other] = [await listen(ada, []), await listen(bo, [])]
	await write()
	await world.deliver()
	expect((await own.next())?.data).toMatchObject({ type: 'notification', kind: 'post_comment' })
	await world.ask(
		react,
		{ body: { reactable_type: 'Comment', reactable_id: (await write()).id, reaction: '👍' } },
		ada,
	)
	await world.deliver()
	expect((await other.next())?.data).toMatchObject({ type: 'notification', kind: 'comment_reaction' })
})

test('refuses a topic that the member cannot see, for the token and for the stream', async () => {
	const secret = await fixture.space({ visibility: 'private' })
	const hidden = await fixture.post(secret)
	const other = await openCommunity(world, 'other')
	const foreign = await other.space()
	for (const topic of [`space:${secret}`, `post:${hidden}`, `space:${foreign}`, 'post:999999']) {
		const asked = await world.ask(createStreamToken, { body: { topics: [topic] } }, bo)
		expect(asked.status).toBe(404)
		const headers = { authorization: `Bearer ${bo.token}`, ...fixture.headers }
		expect((await openStream({ topics: topic }, headers)).status).toBe(404)
	}
	expect((await world.ask(createStreamToken, { body: { topics: ['member:1'] } }, bo)).status).toBe(400)
	await fixture.grant([bo.memberId], [secret])
	const stream = await listen(bo, [`space:${secret}`])
	await post(secret, fixture.owner)
	expect((await stream.next())?.data.type).toBe('post.created')
})

test('sends nothing about a space 30 seconds after the member lost it, and goes on with the others', async () => {
	const secret = await fixture.space({ visibility: 'private' })
	await fixture.grant([bo.memberId], [secret])
	const stream = await listen(bo, [`space:${secret}`, `space:${spaceId}`])
	await post(secret, fixture.owner)
	expect((await stream.next())?.data).toMatchObject({ type: 'post.created', space_id: secret })
	await select(world, `delete from access_group_members where membership_id = ${bo.memberId} returning 1`)
	world.pass(30_000)
	await post(secret, fixture.owner)
	await post(spaceId)
	expect((await stream.next())?.data).toMatchObject({ type: 'post.created', space_id: spaceId })
})

test('a live stream ends with the first event 30 seconds after its session or organization ended', async () => {
	const token = await world.logIn(ada)
	const stream = await listen({ ...ada, token }, [`space:${spaceId}`])
	const [session] = (await world.ask(sessions.listSessions, {}, { token })).ok.data.filter((s) => s.current)
	const other = await listen(bo, [`space:${spaceId}`])
	await select(world, `delete from sessions where id = '${session?.id}' returning id`)
	world.pass(30_000)
	await post(spaceId)
	expect(await stream.next()).toBeNull()
	expect((await other.next())?.data.type).toBe('post.created')
	await select(
		world,
		`update orgs set suspended_at = 1, suspension_reasons = '["abuse"]' where id = '${fixture.orgId}' returning 1`,
	)
	world.pass(30_000)
	const lost = { topics: [`space:${spaceId}`], type: 'post.created', data: {} }
	await world.deps((deps) => publishEvents(deps, `community-${fixture.id}`, [lost]))
	expect(await other.next()).toBeNull()
})

test('a stream token opens one stream, within a minute, in its community', async () => {
	const token = await tokenFor(ada, [`space:${spaceId}`])
	const tries = await Promise.all([openStream({ token }), openStream({ token }), openStream({ token })])
	expect(tries.map(({ status }) => status).toSorted()).toEqual([200, 401, 401])
	expect((await openStream({ token })).status).toBe(401)
	const late = await tokenFor(ada, [])
	world.pass(60_000)
	expect((await openStream({ token: late })).status).toBe(401)
	for (const junk of ['', 'x', `${late}x`, `s1.${'a'.repeat(8)}.b.c`])
		expect((await openStream({ token: junk })).status).toBe(401)
	const fresh = await tokenFor(ada, [])
	expect((await openStream({ token: fresh }, { authorization: `Bearer ${ada.token}` })).status).toBe(400)
	const repeated = await openStream({ token: fresh, topics: `space:${spaceId}` })
	expect([repeated.status, repeated.headers.get('x-error-fields')]).toEqual([400, 'topics'])
	expect((await openStream({ token: fresh }, { cookie: '__Host-session=x', ...page })).status).toBe(200)
	const request = new Request(`https://edge.test${posts.listHomePosts.path}?token=${late}`)
	expect((await world.fetch(request)).status).not.toBe(200)
})
const page = { 'sec-fetch-site': 'same-origin' }

test('stream tokens are not logged', async () => {
	const token = await tokenFor(ada, [])
	await openStream({ token })
	await openStream({ token })
	expect(JSON.stringify(world.logs)).not.toContain(token)
})

test('a live stream resumes after the last received event, or sends reset if the missed ones are unknown', async () => {
	const topics = [`space:${spaceId}`]
	const first = await listen(ada, topics)
	const { id } = await post(spaceId)
	const last = (await first.next())?.id ?? ''
	await first.end()
	const missed = [await post(spaceId), await post(spaceId)]
	await post(await fixture.space())
	const second = await listen(ada, topics, last)
	// A client that is cut off here comes back with this id, and still gets the missed events.
	expect(second.first).toMatchObject({ id: last, data: { type: 'ready' } })
	for (const { id: missedId } of missed) expect((await second.next())?.data.post_id).toBe(missedId)
	expect(missed.map((each) => each.id)).not.toContain(id)
	for (const unknown of ['another-1', `${last.split('-')[0]}-999`, 'x'])
		expect((await listen(ada, topics, unknown)).first?.data).toEqual({ type: 'reset' })
})

test('writing a comment takes the same statements with and without listeners', async () => {
	const input = { params: { postId: `${postId}` }, body: { body: 'Hi' } }
	const count = async () => {
		await world.ask(comments.createPostComment, input, bo)
		return world.statements.length
	}
	await write()
	const alone = await count()
	for (let n = 0; n < 5; n++) await listen(ada, [`post:${postId}`])
	expect(await count()).toBe(alone)
})
