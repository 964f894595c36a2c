import { beforeEach, describe, expect, test } from 'vitest'
import { listCommunityMembers } from '#schema/contract/community/manage/memberships.ts'
import { createMemberToken } from '#schema/contract/community/member/tokens.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Community, openCommunity, select } from '../community.ts'

let world: World
let community: Community
beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
})

const ask = (query: Record<string, string>, who = community.owner) =>
	world.ask(listCommunityMembers, { params: { communityId: String(community.id) }, query }, who)
const idsOf = async (query: Record<string, string>) =>
	(await ask(query)).ok.data.map(({ memberId }) => memberId)

describe('filters of the members list', () => {
	test.each([
		[{ emial: 'bo@example.org' }, 'unknown parameter emial; did you mean email'],
		[{ sso_user_id: 'b', limit: '1' }, 'unknown parameter sso_user_id; did you mean ssoUserId'],
		[
			{ sort: 'newest' },
			'unknown parameter sort; known are limit, cursor, email, ssoUserId, role, status, q, accessGroupId',
		],
	])(
		'the members list refuses the unknown parameter of %j instead of listing other people',
		async (query, error) => {
			await community.member()
			expect(await ask(query)).toMatchObject({ status: 400, error, code: 'validation' })
		},
	)

	test.each([{ role: 'king' }, { status: 'invited' }, { email: 'x' }, { q: ' ' }])(
		'the members list refuses the invalid value of %j',
		async (query) => {
			expect(await ask(query)).toMatchObject({ status: 400, code: 'validation' })
		},
	)

	test('the members list filters by an address or an SSO id, and never returns another person', async () => {
		const bo = await community.member({ sso_user_id: 'b' })
		const cy = await community.member()
		expect(await idsOf({ email: ` ${bo.email.toUpperCase()} ` })).toEqual([bo.memberId])
		expect(await idsOf({ ssoUserId: 'b' })).toEqual([bo.memberId])
		expect(await idsOf({ ssoUserId: 'b', email: cy.email })).toEqual([])
		expect(await idsOf({ email: 'nobody@example.org' })).toEqual([])
		expect(await idsOf({ email: (await world.person()).email })).toEqual([])
	})

	test('the members list filters by role and status, page by page', async () => {
		const banned = await community.member({ status: 'banned' })
		const moderators = [
			await community.member({ role: 'moderator' }),
			await community.member({ role: 'moderator' }),
		]
		await community.member({ role: 'moderator', status: 'inactive' })
		expect(await idsOf({ status: 'banned' })).toEqual([banned.memberId])
		expect(await idsOf({ role: 'moderator', status: 'banned' })).toEqual([])
		const first = await ask({ role: 'moderator', status: 'active', limit: '1' })
		const next = new URL(/<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '', 'http://x')
		const rest = await ask(Object.fromEntries(next.searchParams))
		const seen = [...first.ok.data, ...rest.ok.data].map(({ memberId }) => memberId)
		expect(seen).toEqual(moderators.map(({ memberId }) => memberId))
		expect(rest.headers.get('x-next-cursor')).toBeNull()
	})

	test('the members list finds members by words or a part of their name, banned ones included', async () => {
		const ada = await community.member({ name: 'Ada Lovelace', status: 'banned' })
		await community.member({ name: 'Bo' })
		await select(world, 'update memberships set index_at = 1 returning 1')
		await world.cron('* * * * *')
		await world.deliver()
		for (const q of ['love', 'ada lovelace', 'velac']) expect(await idsOf({ q }), q).toEqual([ada.memberId])
		expect(await idsOf({ q: 'ada', status: 'active' })).toEqual([])
	})

	test.each([
		[
			{ email: 'a@example.org' },
			/USING INTEGER PRIMARY KEY \(rowid=\?\)\n[\s\S]*memberships_community_user \(community_id=\? AND user_id=\?\)[\s\S]*memberships_email/,
		],
		[{ ssoUserId: 'b' }, /USING INDEX memberships_sso \(community_id=\? AND sso_user_id=\?\)/],
		[{ role: 'admin' }, /USING INDEX memberships_role \(community_id=\? AND role=\?\)/],
		[{ status: 'banned' }, /USING INDEX memberships_status \(community_id=\? AND status=\?\)/],
		[{ role: 'member', status: 'banned' }, /memberships_status \(community_id=\? AND status=\?\)/],
		[{ role: 'admin', status: 'active' }, /memberships_role \(community_id=\? AND role=\?\)/],
	])(
		'the filter %j of the members list uses an index, without sorting more than one row',
		async (query, index) => {
			expect((await ask(query)).status).toBe(200)
			const list = world.statements.find((sql) => /from "?memberships"? inner join/.test(sql)) ?? ''
			const plan = (await world.plan(list)).join('\n')
			expect(plan).toMatch(index)
			expect(plan).not.toMatch(/SCAN (?!CONSTANT)/)
			// Few members have the same SSO id or address.
			if (!/memberships_(sso|email)/.test(plan)) expect(plan).not.toContain('TEMP B-TREE')
		},
	)
})

test('auth_token refuses unknown fields instead of ignoring them and choosing another member', async () => {
	const bo = await community.member()
	const key = await community.key()
	const body = { community_member_id: bo.memberId, emial: community.owner.email }
	const answer = await world.ask(createMemberToken, { body: body as never }, { key })
	expect(answer).toMatchObject({ status: 400, error: expect.stringContaining('emial') })
})
