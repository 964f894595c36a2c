import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { inviteMember } from '#schema/contract/accounts/org-members.ts'
import { inviteMemberByMail, inviteToCommunity } from '#schema/contract/community/manage/invitations.ts'
import { DAY } from '../../../../edge/platform/clock.ts'
import { openWorld, type Person, type Who, type World } from '../../../support/edge/world.ts'
import { type Community, openCommunity, select } from '../../community/community.ts'

let world: World
let fixture: Community
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	fixture = await openCommunity(world)
	ada = await world.person()
})

let addresses = 0
const newAddress = () => `stranger${addresses++}@example.net`
const invite = (email = newAddress(), who: Who = ada, orgId = ada.orgId) =>
	world.ask(inviteMember, { params: { orgId }, body: { email } }, who)
const inviteToFixture = (email = newAddress(), who: Who = fixture.owner) =>
	world.ask(inviteToCommunity, { params: { communityId: String(fixture.id) }, body: { email } }, who)
const inviteAsMember = (email = newAddress(), who: Who = fixture.owner) =>
	world.ask(inviteMemberByMail, { body: { email } }, who)
const statuses = async (answers: Promise<{ status: number }>[]) =>
	(await Promise.all(answers)).map(({ status }) => status).toSorted()

describe('daily invitation limits', () => {
	test('an address gets at most five invitations a day, from all senders to all groups together', {
		tags: 'd1',
	}, async () => {
		const email = newAddress()
		const answers = [1, 2, 3].flatMap(() => [invite(email), inviteToFixture(email), inviteAsMember(email)])
		expect(await statuses(answers)).toEqual([...Array(5).fill(201), ...Array(4).fill(429)])
		const refused = await invite(email, await world.person())
		expect(refused.status).toBe(404)
		const late = await invite(email)
		expect([late.code, Number(late.headers.get('retry-after')) > 80_000]).toEqual(['too_many_requests', true])
		world.pass(DAY)
		expect((await invite(email, { token: await world.logIn(ada) })).status).toBe(201)
	})

	test('invitations of an organization, its communities and its keys count together, even concurrent ones', async () => {
		world.set({ INVITATIONS_PER_DAY: '4' })
		const params = { orgId: fixture.orgId }
		const { key } = (
			await world.ask(createApiKey, { params, body: { name: 'k', scopes: ['admin'] } }, fixture.owner)
		).ok.data
		const answers = [1, 2].flatMap(() => [
			invite(newAddress(), fixture.owner, fixture.orgId),
			inviteToFixture(),
			inviteToFixture(newAddress(), { key }),
			inviteAsMember(),
		])
		expect(await statuses(answers)).toEqual([...Array(4).fill(201), ...Array(4).fill(429)])
		expect(await select(world, "select id from outbox where type like '%member_invited'")).toHaveLength(4)
		expect((await invite()).status).toBe(201)
	})

	test('a person may send 200 invitations a day across all their organizations', async () => {
		await invite()
		await select(world, 'update attempts set count = 200 returning 1')
		expect((await invite()).status).toBe(429)
		const elsewhere = await world.person()
		await select(
			world,
			`insert into org_members values ('${elsewhere.orgId}', ${ada.userId}, 'admin', 1) returning 1`,
		)
		expect((await invite(newAddress(), ada, elsewhere.orgId)).status).toBe(429)
		expect((await invite(newAddress(), elsewhere, elsewhere.orgId)).status).toBe(201)
	})

	test('refused invitations to communities of others don’t count against the daily limit', async () => {
		const email = newAddress()
		const counted = () => select(world, 'select sum(count) as n from attempts')
		const before = await counted()
		const refused = Array.from({ length: 6 }, () => inviteToFixture(email, ada))
		expect(await statuses(refused)).toEqual(Array(6).fill(404))
		expect(await counted()).toEqual(before)
		expect((await inviteToFixture(email)).status).toBe(201)
	})

	test('invitations of people who are members already don’t count against the daily limit', async () => {
		const email = fixture.owner.email
		const refused = Array.from({ length: 6 }, () => inviteToFixture(email))
		expect(await statuses(refused)).toEqual(Array(6).fill(409))
		expect((await invite(email)).status).toBe(201)
	})

	test('invitations beyond the seats of an organization don’t count against the daily limit', async () => {
		const email = newAddress()
		await select(world, `update orgs set tier = 'free' where id = '${ada.orgId}' returning 1`)
		const filled = await statuses(Array.from({ length: 3 }, () => invite()))
		const before = await select(world, 'select sum(count) as n from attempts')
		const refused = await statuses(Array.from({ length: 6 }, () => invite(email)))
		expect([filled.includes(403), refused]).toEqual([true, Array(6).fill(403)])
		expect(await select(world, 'select sum(count) as n from attempts')).toEqual(before)
		expect((await inviteToFixture(email)).status).toBe(201)
	})

	test('an organization over its own limit can’t use up the invitations of an address', async () => {
		const email = newAddress()
		world.set({ INVITATIONS_PER_DAY: '1' })
		expect((await invite()).status).toBe(201)
		const refused = Array.from({ length: 6 }, () => invite(email))
		expect(await statuses(refused)).toEqual(Array(6).fill(429))
		expect((await inviteToFixture(email)).status).toBe(201)
	})
})
