import { beforeEach, expect, test } from 'vitest'
import { getCurrentMember } from '#schema/contract/community/members.ts'
import { awardPoints, getMemberPoints, listPoints } from '#schema/contract/community/points.ts'
import { listMemberTokens, revokeMemberTokens } from '#schema/contract/community/tokens.ts'
import { openWorld, type World } from '../world.ts'
import { type Community, memberTokens, openCommunity } from './community.ts'

type Member = Awaited<ReturnType<Community['member']>>
let world: World
let club: Community
let ada: Member
beforeEach(async () => {
	world = await openWorld()
	club = await openCommunity(world)
	ada = await club.member()
})
const at = () => ({ params: { communityId: String(club.id) } })
const of = (who: Member) => ({ params: { ...at().params, memberId: String(who.memberId) } })
const award = (memberId: number, points: number, who = club.owner, headers = {}) =>
	world.ask(awardPoints, { ...at(), body: { memberId, points, reason: 'Helped' } }, { ...who, headers })
const balance = async (who: Member) => (await world.ask(getMemberPoints, of(who), club.owner)).ok.data.balance

test('points are given and taken, listed with their reasons, and add up', async () => {
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
	const bo = await club.member()
	await award(bo.memberId, 1)
	expect([await balance(ada), await balance(bo)]).toEqual([-2, 1])
	const page = await world.ask(listPoints, { ...at(), query: { limit: '2' } }, club.owner)
	const cursor = String(page.headers.get('x-next-cursor'))
	const rest = await world.ask(listPoints, { ...at(), query: { limit: '2', cursor } }, club.owner)
	expect([...page.ok.data, ...rest.ok.data].map(({ points }) => points)).toEqual([1, -7, 5])
})

test('points are given once for an Idempotency-Key, and only whole ones', async () => {
	for (let i = 0; i < 2; i++)
		expect((await award(ada.memberId, 5, club.owner, { 'idempotency-key': 'k1' })).status).toBe(201)
	expect(await balance(ada)).toBe(5)
	for (const points of [0, 1.5, 1_000_001, Number.NaN])
		expect((await award(ada.memberId, points)).status).toBe(400)
})

test('points and tokens of a community are not for other organizations', async () => {
	const other = await openCommunity(world, 'other')
	expect((await award(ada.memberId, 5, other.owner)).status).toBe(404)
	expect((await award(other.owner.memberId, 5)).status).toBe(404)
	for (const op of [getMemberPoints, listMemberTokens, revokeMemberTokens])
		expect((await world.ask(op, of(ada), other.owner)).status).toBe(404)
	expect((await world.ask(listPoints, { ...at(), query: {} }, other.owner)).status).toBe(404)
	expect(await balance(ada)).toBe(0)
})

test('tokens of a member are listed without themselves, and ended all at once', async () => {
	const key = await club.key()
	const [one, two] = [
		await memberTokens(world, key, ada.memberId),
		await memberTokens(world, key, ada.memberId),
	]
	const listed = await world.ask(listMemberTokens, of(ada), club.owner)
	expect(listed.ok.data).toHaveLength(2)
	expect(Object.keys(listed.ok.data[0] ?? {})).toEqual(['id', 'createdAt', 'expiresAt'])
	expect((await world.ask(revokeMemberTokens, of(ada), club.owner)).ok.data).toEqual({
		memberId: ada.memberId,
		revoked: 2,
	})
	for (const { access_token: token } of [one, two])
		expect((await world.ask(getCurrentMember, {}, { token })).status).toBe(401)
	expect((await world.ask(listMemberTokens, of(ada), club.owner)).ok.data).toEqual([])
	expect((await world.ask(revokeMemberTokens, of(ada), club.owner)).ok.data.revoked).toBe(0)
})
