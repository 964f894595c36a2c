import { beforeEach, expect, test } from 'vitest'
import * as comments from '#schema/contract/community/member/post-comments.ts'
import type { World } from '../../../support/edge/world.ts'
import { type Community, openHeadless } from '../community.ts'

let world: World
let ada: Awaited<ReturnType<Community['member']>>
let onPost: { params: { postId: string } }
beforeEach(async () => {
	const opened = await openHeadless()
	;({ world, ada } = opened)
	onPost = { params: { postId: String(await opened.community.post(opened.spaceId)) } }
})

type Query = Record<string, string>
type Page = { ok: { records: { id: number }[] }; headers: Headers }
const comment = async () =>
	(await world.ask(comments.createPostComment, { ...onPost, body: { body: 'Comment' } }, ada)).ok.id
const onComment = (id: number) => ({ params: { commentId: String(id) } })
const reply = async (id: number) =>
	(await world.ask(comments.createReply, { ...onComment(id), body: { body: 'Reply' } }, ada)).ok.id
const listComments = (query: Query) =>
	world.ask(comments.listPostComments, { ...onPost, query: query as never }, ada)
const listReplies = (id: number) => (query: Query) =>
	world.ask(comments.listReplies, { ...onComment(id), query: query as never }, ada)

/** Reads all pages of two records by cursor. Adds a record after each page. */
async function readAll(list: (query: Query) => Promise<Page>, sort: string, add: () => Promise<number>) {
	const seen: number[] = []
	let query: Query | undefined = { per_page: '2', sort }
	while (query) {
		const page: Page = await list(query)
		seen.push(...page.ok.records.map(({ id }) => id))
		const cursor = page.headers.get('x-next-cursor')
		if (sort === 'latest') await add()
		query = cursor === null ? undefined : { per_page: '2', sort, cursor }
	}
	return seen
}

test.each(['latest', 'oldest'])('comments and replies are read by cursor, the %s first', async (sort) => {
	const ids = [await comment(), await comment(), await comment(), await comment(), await comment()]
	const root = ids[2] as number
	const replies = [await reply(root), await reply(root), await reply(root)]
	const inOrder = (expected: number[]) => (sort === 'latest' ? expected.toReversed() : expected)
	expect(await readAll(listComments, sort, comment)).toEqual(inOrder(ids))
	expect(await readAll(listReplies(root), sort, () => reply(root))).toEqual(inOrder(replies))
})

test('comments refuse a cursor of the other order, or with a page number', async () => {
	for (let i = 0; i < 3; i++) await comment()
	const cursor = String((await listComments({ per_page: '1' })).headers.get('x-next-cursor'))
	expect((await listComments({ cursor })).ok.records).toHaveLength(2)
	for (const query of [
		{ cursor, sort: 'latest' },
		{ cursor, page: '2' },
	])
		expect(await listComments(query as Query), JSON.stringify(query)).toMatchObject({ status: 400 })
})

test.each([
	['latest', '<'],
	['oldest', '>'],
])('the index of a post finds the next comments, the %s first', async (sort, comparison) => {
	for (let i = 0; i < 3; i++) await comment()
	const first = await listComments({ per_page: '1', sort })
	const next = await listComments({ per_page: '1', sort, cursor: String(first.headers.get('x-next-cursor')) })
	expect(next.statements).toHaveLength(first.statements.length)
	const plan = (await world.plan(String(next.statements.at(-1)))).join('\n')
	expect(plan).not.toContain('TEMP B-TREE FOR ORDER BY')
	expect(plan).toContain(`post_comments_post (post_id=? AND parent_id=? AND created_at${comparison}?)`)
})
