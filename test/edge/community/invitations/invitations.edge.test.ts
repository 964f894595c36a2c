import { beforeEach, describe, expect, test } from 'vitest'
import { signup } from '#schema/contract/accounts/identity.ts'
import {
	acceptCommunityInvitation,
	inviteMemberByMail,
	inviteToCommunity,
	listCommunityInvitations,
	revokeCommunityInvitation,
} from '#schema/contract/community/manage/invitations.ts'
import { addCommunityMember } from '#schema/contract/community/manage/memberships.ts'
import { getCurrentMember } from '#schema/contract/community/member/members.ts'
import { getSpace } from '#schema/contract/community/member/spaces.ts'
import { DAY } from '../../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { type Community, insert, openCommunity, select } from '../community.ts'

let world: World
let fixture: Community
let bo: Person
const at = () => ({ params: { communityId: String(fixture.id) } })
beforeEach(async () => {
	world = await openWorld()
	fixture = await openCommunity(world)
	bo = await world.person({ email: 'bo@example.org' })
})

const invite = (email = bo.email, more: { role?: 'member' | 'moderator' } = {}) =>
	world.ask(inviteToCommunity, { ...at(), body: { email, ...more } }, fixture.owner)

/** Returns recipient, subject and token of the last mail. */
async function lastMail(): Promise<{ to: string; subject: string; token: string }> {
	await world.deliver()
	const mail = world.messages.findLast((message) => message.type === 'mail.send')
	if (mail?.type !== 'mail.send') throw new Error('no mail')
	const token = /#token=([\w.%-]+)/.exec(mail.text)?.[1] ?? ''
	return { to: mail.to, subject: mail.subject, token: decodeURIComponent(token) }
}
const accept = (token: string, who: Person = bo) =>
	world.ask(acceptCommunityInvitation, { body: { token } }, who)
const list = async (token = fixture.owner.token) =>
	(await world.ask(listCommunityInvitations, { ...at(), query: {} }, { token })).ok.data
const roleOf = async (who: Person) =>
	(await world.ask(getCurrentMember, {}, { ...who, headers: fixture.headers })).ok.role

/** Invites on behalf of a member. */
const inviteAs = (
	who: Person & { headers?: Record<string, string> },
	role: 'member' | 'moderator',
	to: Person = bo,
) => world.ask(inviteMemberByMail, { body: { email: to.email, role } }, who)
const set = ({ memberId }: { memberId: number }, change: string) =>
	select(world, `update memberships set ${change} where id = ${memberId} returning 1`)

describe('community invitations', () => {
	test('mails an invitation that its address can accept once', async () => {
		const created = (await invite(bo.email, { role: 'moderator' })).ok.data
		expect(created).toMatchObject({ email: bo.email, role: 'moderator', status: 'open' })
		const { to, subject, token } = await lastMail()
		expect([to, subject]).toEqual([bo.email, 'Invitation to join “The club” on Playhouse'])
		const joined = (await accept(token)).ok.data
		expect(joined).toEqual({
			id: fixture.id,
			name: 'The club',
			slug: 'club',
			memberId: expect.any(Number),
		})
		expect(await roleOf(bo)).toBe('moderator')
		expect((await accept(token)).status).toBe(404)
		expect(await list()).toMatchObject([{ id: created.id, status: 'accepted' }])
		const domainEvents = await select<{ org_id: string; payload: string }>(
			world,
			"select org_id, payload from outbox where type = 'member.joined'",
		)
		expect(domainEvents.map((row) => [row.org_id, JSON.parse(row.payload)])).toEqual([
			[fixture.orgId, { communityId: fixture.id, memberId: joined.memberId }],
		])
	})

	test('an invitation rejects other addresses, and is void when expired, replaced or revoked', {
		tags: 'd1',
	}, async () => {
		await invite()
		const first = (await lastMail()).token
		expect((await accept(first, await world.person())).status).toBe(404)
		world.pass(1_000)
		const { id } = (await invite()).ok.data
		const second = (await lastMail()).token
		expect(second).not.toBe(first)
		expect((await accept(first)).status).toBe(404)
		expect(await list()).toHaveLength(1)
		const revocation = { params: { ...at().params, invitationId: String(id) } }
		expect((await world.ask(revokeCommunityInvitation, revocation, fixture.owner)).status).toBe(200)
		expect((await world.ask(revokeCommunityInvitation, revocation, fixture.owner)).status).toBe(404)
		expect((await accept(second)).status).toBe(404)
		await invite()
		const third = (await lastMail()).token
		world.pass(7 * DAY)
		expect((await accept(third, { ...bo, token: await world.logIn(bo) })).status).toBe(404)
		expect(await list(await world.logIn(fixture.owner))).toMatchObject([{ status: 'expired' }])
		for (const token of ['c.', 'c.nonsense', 'nonsense'])
			expect((await accept(token)).status).toBeGreaterThan(399)
	})

	test('rejects invitations of members and banned persons', { tags: 'd1' }, async () => {
		await invite()
		const { token } = await lastMail()
		const member = await fixture.join(bo, { status: 'banned' })
		expect((await accept(token)).status).toBe(404)
		expect((await invite()).status).toBe(409)
		await set(member, "status = 'inactive'")
		expect((await accept(token)).ok.data.memberId).toBe(member.memberId)
		expect((await invite()).status).toBe(409)
	})

	test.each(['owner', 'admin', 'moderator'])(
		'an invitation gives a former %s only the invited role and no former access',
		async (role) => {
			const moderator = await fixture.member({ role: 'moderator' })
			const member = await fixture.join(bo, { role, status: 'inactive' })
			const secret = await fixture.space({ visibility: 'secret' })
			await fixture.grant([member.memberId], [secret])
			await insert(world, 'calendar_feeds', {
				membership_id: member.memberId,
				token_hash: 'h',
				created_at: 1,
			})
			expect((await inviteAs(moderator, 'member')).status).toBe(201)
			const joined = (await accept((await lastMail()).token)).ok.data
			expect([joined.memberId, await roleOf(bo)]).toEqual([member.memberId, 'member'])
			const at = { params: { spaceId: String(secret) } }
			expect((await world.ask(getSpace, at, { ...bo, headers: fixture.headers })).status).toBe(404)
			expect(await select(world, 'select * from calendar_feeds')).toEqual([])
		},
	)

	test('an invitation changes nothing for a person who does not accept', async () => {
		const secret = await fixture.space({ visibility: 'secret' })
		const member = await fixture.join(bo, { status: 'inactive' })
		await fixture.grant([member.memberId], [secret])
		await invite()
		const { token } = await lastMail()
		expect((await accept(token, await world.person())).status).toBe(404)
		expect((await accept('c.nonsense')).status).toBe(404)
		expect(await select(world, 'select * from access_group_members')).toHaveLength(1)
	})

	test('an invitation keeps the role of a person who joined before accepting', async () => {
		await invite(bo.email, { role: 'moderator' })
		const { token } = await lastMail()
		await fixture.join(bo, { role: 'admin' })
		await accept(token)
		expect(await roleOf(bo)).toBe('admin')
	})

	test.each([
		['was banned', "status = 'banned'"],
		['left', "status = 'inactive'"],
		['was demoted', "role = 'moderator'"],
	])('an invitation can’t be accepted after the inviter %s', async (_, change) => {
		const admin = await fixture.member({ role: 'admin' })
		expect((await inviteAs(admin, 'moderator')).status).toBe(201)
		const { token } = await lastMail()
		await set(admin, change)
		expect((await accept(token)).status).toBe(404)
		const body = { email: bo.email, password: 'correct horse battery', name: 'B', invitationToken: token }
		expect((await world.ask(signup, { body })).status).toBeGreaterThan(399)
		await set(admin, "status = 'active', role = 'owner'")
		expect((await accept(token)).status).toBe(200)
	})

	test.each(["update org_members set role = 'member'", 'delete from org_members'])(
		'an invitation can’t be accepted after the inviter lost their role in the organization: %s',
		async (change) => {
			await invite()
			const { token } = await lastMail()
			await select(world, `${change} where user_id = ${fixture.owner.userId} returning 1`)
			expect((await accept(token)).status).toBe(404)
		},
	)

	test('lower roles can’t replace an open invitation to a higher role', { tags: 'd1' }, async () => {
		const [moderator, admin] = [
			await fixture.member({ role: 'moderator' }),
			await fixture.member({ role: 'admin' }),
		]
		await invite(bo.email, { role: 'moderator' })
		const { token } = await lastMail()
		expect((await inviteAs(moderator, 'member')).status).toBe(409)
		expect((await accept(token)).status).toBe(200)
		const cy = await world.person()
		await invite(cy.email, { role: 'moderator' })
		expect((await inviteAs(admin, 'member', cy)).status).toBe(201)
		expect((await accept((await lastMail()).token, cy)).status).toBe(200)
		expect(await roleOf(cy)).toBe('member')
		const dee = await world.person()
		await invite(dee.email, { role: 'moderator' })
		world.pass(7 * DAY)
		const later = { ...moderator, token: await world.logIn(moderator) }
		expect((await inviteAs(later, 'member', dee)).status).toBe(201)
	})

	test('drops an ssoUserId that another member received before the acceptance', async () => {
		const add = { ...at(), body: { email: bo.email, ssoUserId: 's1' } }
		expect((await world.ask(addCommunityMember, add, fixture.owner)).status).toBe(201)
		const { token } = await lastMail()
		await fixture.member({ sso_user_id: 's1' })
		expect((await accept(token)).status).toBe(200)
		const rows = await select(world, `select sso_user_id from memberships where user_id = ${bo.userId}`)
		expect(rows).toEqual([{ sso_user_id: null }])
	})

	test('lets moderators invite only to lower roles', { tags: 'd1' }, async () => {
		const [moderator, plain] = [await fixture.member({ role: 'moderator' }), await fixture.member()]
		const status = async (...args: Parameters<typeof inviteAs>) => (await inviteAs(...args)).status
		expect([
			await status(moderator, 'member'),
			await status(moderator, 'moderator'),
			await status(plain, 'member'),
		]).toEqual([201, 403, 403])
		expect((await accept((await lastMail()).token)).status).toBe(200)
	})

	test('rejects listing and creating invitations of another organization', { tags: 'd1' }, async () => {
		const { id } = (await invite()).ok.data
		const params = { ...at().params, invitationId: String(id) }
		const statuses = [
			await world.ask(listCommunityInvitations, { ...at(), query: {} }, bo),
			await world.ask(inviteToCommunity, { ...at(), body: { email: 'x@example.org' } }, bo),
			await world.ask(revokeCommunityInvitation, { params }, bo),
		].map(({ status }) => status)
		expect(statuses).toEqual([404, 404, 404])
		expect(await list()).toHaveLength(1)
	})

	test('creates account and membership from an invitation while registration is closed', async () => {
		world.set({ REGISTRATION_ENABLED: 'false' })
		await invite('new@example.org')
		const { token: invitationToken } = await lastMail()
		const newcomer = (email: string, token?: string) =>
			world.ask(signup, {
				body: {
					email,
					password: 'correct horse battery',
					name: 'New',
					...(token && { invitationToken: token }),
				},
			})
		expect((await newcomer('new@example.org')).status).toBe(403)
		expect((await newcomer('other@example.org', invitationToken)).status).toBe(403)
		const created = (await newcomer('new@example.org', invitationToken)).ok.data
		expect(await roleOf({ token: created.token } as Person)).toBe('member')
		expect(await list()).toMatchObject([{ status: 'accepted' }])
		world.set({ REGISTRATION_ENABLED: 'true' })
	})
})
