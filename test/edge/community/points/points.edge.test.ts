import { beforeEach, expect, test } from 'vitest'
import { awardPoints, getMemberPoints, listPoints } from '#schema/contract/community/manage/points.ts'
import { getCurrentMember } from '#schema/contract/community/member/members.ts'
import { listMemberTokens, revokeMemberTokens } from '#schema/contract/community/member/tokens.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Community, memberTokens, openCommunity } from '../community.ts'

type Member = Awaited<ReturnType<Community['member']>>
let world: World
let fixture: Community
let ada: Member
beforeEach(async () => {
	world = await openWorld()
	fixture = await openCommunity(world)
	ada = await fixture.member()
})
const at = () => ({ params: { communityId: String(fixture.id) } })
const of = (who: Member) => ({ params: { ...at().params, memberId: String(who.memberId) } })
const award = (memberId: number, points: number, who = fixture.owner, headers = {}) =>
	world.ask(awardPoints, { ...at(), body: { memberId, points, reason: 'Helped' } }, { ...who, headers })
const balance = async (who: Member) =>
	(await world.ask(getMemberPoints, of(who), fixture.owner)).ok.data.balance

test('awards and deducts points, lists them with reasons and sums them', async () => {
	expect(await balance(ada)).toBe(0)
	const first = (await award(ada.memberId, 5)).ok.data
	expect(first).toEqual({
		id: expect.any(Number),
		memberId: ada.memberId,
		points: 5,
		reason: 'Helped',
		createdAt: expect.any(String),
	})
	await award(ada.memberId, -7)
	const bo = await fixture.member()
	await award(bo.memberId, 1)
	expect([await balance(ada), await balance(bo)]).toEqual([-2, 1])
	const page = await world.ask(listPoints, { ...at(), query: { limit: '2' } }, fixture.owner)
	const cursor = String(page.headers.get('x-next-cursor'))
	const rest = await world.ask(listPoints, { ...at(), query: { limit: '2', cursor } }, fixture.owner)
	expect([...page.ok.data, ...rest.ok.data].map(({ points }) => points)).toEqual([1, -7, 5])
})

test('awards points once per Idempotency-Key and rejects fractions', async () => {
	for (let i = 0; i < 2; i++)
		expect((await award(ada.memberId, 5, fixture.owner, { 'idempotency-key': 'k1' })).status).toBe(201)
	expect(await balance(ada)).toBe(5)
	for (const points of [0, 1.5, 1_000_001, Number.NaN])
		expect((await award(ada.memberId, points)).status).toBe(400)
})

test('rejects access to points and tokens from other organizations', async () => {
	const other = await openCommunity(world, 'other')
	expect((await award(ada.memberId, 5, other.owner)).status).toBe(404)
	expect((await award(other.owner.memberId, 5)).status).toBe(404)
	for (const op of [getMemberPoints, listMemberTokens, revokeMemberTokens])
		expect((await world.ask(op, of(ada), other.owner)).status).toBe(404)
	expect((await world.ask(listPoints, { ...at(), query: {} }, other.owner)).status).toBe(404)
	expect(await balance(ada)).toBe(0)
})

test('lists member tokens without their secrets and revokes all of them', async () => {
	const key = await fixture.key()
	const [one, two] = [
		await memberTokens(world, key, ada.memberId),
		await memberTokens(world, key, ada.memberId),
	]
	const listed = await world.ask(listMemberTokens, of(ada), fixture.owner)
	expect(listed.ok.data).toHaveLength(2)
	expect(Object.keys(listed.ok.data[0] ?? {})).toEqual(['id', 'createdAt', 'expiresAt'])
	expect((await world.ask(revokeMemberTokens, of(ada), fixture.owner)).ok.data).toEqual({
		memberId: ada.memberId,
		revoked: 2,
	})
	for (const { access_token: token } of [one, two])
		expect((await world.ask(getCurrentMember, {}, { token })).status).toBe(401)
	expect((await world.ask(listMemberTokens, of(ada), fixture.owner)).ok.data).toEqual([])
	expect((await world.ask(revokeMemberTokens, of(ada), fixture.owner)).ok.data.revoked).toBe(0)
})
