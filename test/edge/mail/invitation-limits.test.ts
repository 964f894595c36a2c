import { beforeEach, describe, expect, test } from 'vitest'
import { inviteMemberByMail, inviteToCommunity } from '#schema/contract/community/invitations.ts'
import { createApiKey, inviteMember } from '#schema/contract/orgs.ts'
import { DAY } from '../../../edge/platform/clock.ts'
import { type Community, openCommunity, select } from '../community/community.ts'
import { openWorld, type Person, type Who, type World } from '../world.ts'

let world: World
let club: Community
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	club = await openCommunity(world)
	ada = await world.person()
})

let strangers = 0
const stranger = () => `stranger${strangers++}@example.net`
const invite = (email = stranger(), who: Who = ada, orgId = ada.orgId) =>
	world.ask(inviteMember, { params: { orgId }, body: { email } }, who)
const inviteToClub = (email = stranger(), who: Who = club.owner) =>
	world.ask(inviteToCommunity, { params: { communityId: String(club.id) }, body: { email } }, who)
const inviteAsMember = (email = stranger(), who: Who = club.owner) =>
	world.ask(inviteMemberByMail, { body: { email } }, who)
const statuses = async (answers: Promise<{ status: number }>[]) =>
	(await Promise.all(answers)).map(({ status }) => status).toSorted()

describe('a day has no more invitations than', () => {
	test('five to an address, whoever sends them and whatever they are into', async () => {
		const email = stranger()
		const answers = [1, 2, 3].flatMap(() => [invite(email), inviteToClub(email), inviteAsMember(email)])
		expect(await statuses(answers)).toEqual([...Array(5).fill(201), ...Array(4).fill(429)])
		const refused = await invite(email, await world.person())
		expect(refused.status).toBe(404)
		const late = await invite(email)
		expect([late.code, Number(late.headers.get('retry-after')) > 80_000]).toEqual(['too_many_requests', true])
		world.pass(DAY)
		expect((await invite(email, { token: await world.logIn(ada) })).status).toBe(201)
	})

	test('those that an organization may send, together with its communities and keys, also at once', async () => {
		world.set({ INVITATIONS_PER_DAY: '4' })
		const params = { orgId: club.orgId }
		const { key } = (
			await world.ask(createApiKey, { params, body: { name: 'k', scopes: ['admin'] } }, club.owner)
		).ok.data
		const answers = [1, 2].flatMap(() => [
			invite(stranger(), club.owner, club.orgId),
			inviteToClub(),
			inviteToClub(stranger(), { key }),
			inviteAsMember(),
		])
		expect(await statuses(answers)).toEqual([...Array(4).fill(201), ...Array(4).fill(429)])
		expect(await select(world, "select id from outbox where type like '%member_invited'")).toHaveLength(4)
		expect((await invite()).status).toBe(201)
	})

	test('two hundred of a person, in all their organizations', async () => {
		await invite()
		await select(world, 'update attempts set count = 200 returning 1')
		expect((await invite()).status).toBe(429)
		const elsewhere = await world.person()
		await select(
			world,
			`insert into org_members values ('${elsewhere.orgId}', ${ada.userId}, 'admin', 1) returning 1`,
		)
		expect((await invite(stranger(), ada, elsewhere.orgId)).status).toBe(429)
		expect((await invite(stranger(), elsewhere, elsewhere.orgId)).status).toBe(201)
	})
})
