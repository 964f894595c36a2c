import { expect, test } from 'vitest'
import { listMemberCards } from '#schema/contract/community/member/members.ts'
import { openHeadless } from '../community.ts'

test.each([
	['latest', '<'],
	['oldest', '>'],
] as const)('active members are read along an index by cursor, the %s first', async (sort, comparison) => {
	const { world, community, ada } = await openHeadless()
	for (const status of ['active', 'active', 'banned', 'active']) await community.member({ status })
	const list = (query: object) => world.ask(listMemberCards, { query: { sort, ...query } }, ada)
	const all = (await list({})).ok.records.map(({ id }) => id)
	expect(all).toHaveLength(5)
	expect(all).toEqual(all.toSorted((a, b) => (sort === 'latest' ? b - a : a - b)))
	const first = await list({ per_page: '3' })
	const cursor = String(first.headers.get('x-next-cursor'))
	if (sort === 'latest') await community.member()
	const next = await list({ per_page: '3', cursor })
	expect([...first.ok.records, ...next.ok.records].map(({ id }) => id)).toEqual(all)
	expect([next.ok.has_next_page, next.headers.get('x-next-cursor')]).toEqual([false, null])
	for (const wrong of [{ page: '2' }, { sort: sort === 'latest' ? 'oldest' : 'latest' }])
		expect((await list({ cursor, ...wrong })).status).toBe(400)
	expect(next.statements).toHaveLength(first.statements.length)
	const plan = (await world.plan(String(next.statements.at(-1)))).join('\n')
	expect(plan).not.toContain('TEMP B-TREE')
	expect(plan).toContain(`memberships_status (community_id=? AND status=? AND created_at${comparison}?)`)
})
