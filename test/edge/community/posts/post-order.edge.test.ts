import { beforeEach, expect, test } from 'vitest'
import { listHomePosts, listSpacePosts } from '#schema/contract/community/member/posts.ts'
import type { World } from '../../../support/edge/world.ts'
import { type Community, openHeadless } from '../community.ts'

let world: World
let community: Community
let ada: Awaited<ReturnType<Community['member']>>
let spaceId: number
beforeEach(async () => {
	;({ world, community, ada, spaceId } = await openHeadless())
})

type Query = Record<string, string>
const lists = {
	'of a space': (query: Query) =>
		world.ask(listSpacePosts, { params: { spaceId: String(spaceId) }, query: query as never }, ada),
	'of the home feed': (query: Query) => world.ask(listHomePosts, { query: query as never }, ada),
}
const names = Object.keys(lists) as (keyof typeof lists)[]

/** Creates posts, of which two each have the same time. Returns their ids, the oldest first. */
async function createPosts(count: number): Promise<number[]> {
	const ids: number[] = []
	for (let i = 0; i < count; i++)
		ids.push(await community.post(spaceId, { created_at: world.now + Math.floor(i / 2) }))
	return ids
}

const cases = names.flatMap((name) => (['latest', 'oldest'] as const).map((sort) => [name, sort] as const))

test.each(cases)(
	'posts %s (%s first) are read by cursor while others come before them',
	async (name, sort) => {
		const ids = await createPosts(7)
		const seen: number[] = []
		let query: Query = { per_page: '3', sort }
		for (const isLast of [false, false, true]) {
			const page = await lists[name](query)
			expect([page.ok.page, page.ok.has_next_page]).toEqual([1, !isLast])
			seen.push(...page.ok.records.map(({ id }) => id))
			const cursor = page.headers.get('x-next-cursor')
			expect([cursor === null, page.headers.has('link')]).toEqual([isLast, !isLast])
			query = { per_page: '3', sort, cursor: String(cursor) }
			await community.post(spaceId, { created_at: sort === 'latest' ? world.now * 2 : 1 })
		}
		expect(seen).toEqual(sort === 'latest' ? ids.toReversed() : ids)
	},
)

test.each(names)(
	'posts %s refuse a cursor of the other order, with a page number, or made up',
	async (name) => {
		await createPosts(3)
		const list = lists[name]
		const cursor = String((await list({ per_page: '1' })).headers.get('x-next-cursor'))
		expect((await list({ cursor })).status).toBe(200)
		for (const query of [{ cursor, page: '2' }, { cursor: 'x' }, { sort: 'best' }])
			expect(await list(query as Query), JSON.stringify(query)).toMatchObject({ status: 400 })
		expect(await list({ cursor, sort: 'oldest' })).toMatchObject({
			status: 400,
			error: 'cursor: invalid; send the value of X-Next-Cursor, and the same sort, unchanged',
		})
	},
)

test.each(cases)('the index of a space finds the next posts %s (%s first)', async (name, sort) => {
	await createPosts(3)
	const cursor = String((await lists[name]({ per_page: '1', sort })).headers.get('x-next-cursor'))
	const { statements } = await lists[name]({ sort, cursor })
	const plan = (await world.plan(String(statements.at(-1)))).join('\n')
	const comparison = sort === 'latest' ? '<' : '>'
	const search = `INDEX posts_space (space_id=? AND created_at${comparison}?)`
	// The home feed finds the first post of each space, and then the posts after it.
	expect(plan.split(search).length - 1, plan).toBe(name === 'of a space' ? 1 : 2)
	if (name === 'of a space') expect(plan).not.toContain('TEMP B-TREE FOR ORDER BY')
})
