import { beforeEach, describe, expect, test } from 'vitest'
import { confirmEmailChange, requestEmailChange } from '#schema/contract/accounts/email-addresses.ts'
import { login, sendCode, signup, verifyCode } from '#schema/contract/accounts/identity.ts'
import { suspendOrg, unsuspendOrg } from '#schema/contract/accounts/suspension.ts'
import { addCommunityMembers } from '#schema/contract/community/manage/managed-members.ts'
import * as contract from '#schema/contract/community/manage/memberships.ts'
import { getCurrentMember } from '#schema/contract/community/member/members.ts'
import { createMemberToken } from '#schema/contract/community/member/tokens.ts'
import { lockUser, promoteUser } from '#schema/contract/operations/admin/users.ts'
import { codeSentTo } from '../../../support/edge/mailbox.ts'
import { openWorld, type Person, type Who, type World } from '../../../support/edge/world.ts'
import { askEverything } from '../../http/ask-everything.ts'
import { type Community, inviteAndAccept, memberTokens, openCommunity, select } from '../community.ts'

const managed = 'managed@example.org'
let world: World
let root: Person
let community: Community
let server: Who
beforeEach(async () => {
	world = await openWorld()
	// The first person is the superadmin.
	root = await world.person()
	community = await openCommunity(world)
	server = { key: await community.key(['headless:auth', 'members:write']) }
})

const at = (memberId?: number) =>
	({
		params: { communityId: String(community.id), ...(memberId && { memberId: String(memberId) }) },
	}) as never
const vouch = (body: object, who = server) =>
	world.ask(
		contract.addCommunityMember,
		{ ...(at() as object), body: { status: 'active', ...body } } as never,
		who,
	)
const addManaged = async (email: string | null = managed, ssoUserId = 'u-1') =>
	(await vouch({ ssoUserId, name: 'Vouched', email })).ok.data as contract.CommunityMember
const accounts = () =>
	select<{ id: number }>(world, 'select * from users where managed_key is null order by id')
const isMember = async (token: string) =>
	(await world.ask(getCurrentMember, {}, { token, headers: community.headers })).status === 200

test('a key can’t move the address, and so the merge, of a managed member who has a role', async () => {
	const boss = { ssoUserId: 'boss', name: 'Boss', email: 'boss@example.org', role: 'admin' }
	const { id } = (await vouch(boss, community.owner)).ok.data as contract.CommunityMember
	const evil = { ssoUserId: 'boss', email: 'evil@example.org' }
	expect((await vouch(evil)).status).toBe(403)
	const batch = { ...(at() as object), body: { members: [evil] } }
	const { data } = (await world.ask(addCommunityMembers, batch as never, server)).ok
	expect(data).toMatchObject([{ ssoUserId: 'boss', status: 'refused' }])
	expect(await select(world, `select role, email from memberships where id = ${id}`)).toEqual([
		{ role: 'admin', email: 'boss@example.org' },
	])
})

describe('vouching with an address of somebody else', () => {
	test('the address of an account, a superadmin or another organization’s member changes and reveals nothing', async () => {
		const bo = await world.person()
		const other = await openCommunity(world, 'other')
		const theirs = { key: await other.key(['members:write']) }
		const foreign = { params: { communityId: String(other.id) }, body: { status: 'active' as const } }
		await world.ask(
			contract.addCommunityMember,
			{ ...foreign, body: { ...foreign.body, ssoUserId: 'x', name: 'X', email: 'theirs@example.org' } },
			theirs,
		)
		// The first use of a key notes its time.
		await vouch({ ssoUserId: 'first', name: 'First' })
		const before = await accounts()
		const answers = []
		const addresses = [
			'nobody@example.org',
			bo.email,
			root.email,
			community.owner.email,
			'theirs@example.org',
		]
		for (const [index, email] of addresses.entries()) {
			const answer = await vouch({ ssoUserId: `u-${index}`, name: 'Vouched', email })
			const {
				id: _,
				memberId: __,
				userId: ___,
				email: shown,
				ssoUserId: ____,
				createdAt: _____,
				updatedAt: ______,
				...rest
			} = answer.ok.data as contract.CommunityMember
			expect(shown).toBe(email)
			answers.push([answer.status, [...answer.headers.keys()].sort(), rest, answer.statements.length])
		}
		for (const answer of answers) expect(answer).toEqual(answers[0])
		expect(await accounts()).toEqual(before)
		expect(await isMember(bo.token)).toBe(false)
		const [sso] = await select<{ n: number }>(
			world,
			`select count(*) as n from memberships m join users u on u.id = m.user_id where u.managed_key is null and m.sso_user_id is not null`,
		)
		expect(sso?.n).toBe(0)
	})

	test('auth_token by address finds accounts only', async () => {
		await addManaged()
		const byAddress = { body: { email: managed, community_id: community.id } }
		expect((await world.ask(createMemberToken, byAddress, server)).status).toBe(404)
	})
})

describe('ways into a managed member', () => {
	test('signing in with the address behaves as for an unknown address', async () => {
		await addManaged()
		const tries = []
		for (const email of [managed, 'nobody@example.org']) {
			world.messages.splice(0)
			const password = await world.ask(login, { body: { email, password: 'correct horse battery' } })
			const sent = await world.ask(sendCode, { body: { email } })
			const code = world.messages.some(({ type }) => type === 'code.send')
				? codeSentTo(world, email)
				: '000000'
			const verified = await world.ask(verifyCode, { body: { email, code } })
			tries.push([password.status, password.error, sent.status, sent.text, verified.status, verified.code])
			world.pass(3_600_000)
		}
		expect(tries[1]).toEqual(tries[0])
		expect(tries[0]?.[4]).not.toBe(200)
	})

	test('signing up with the address makes a separate account, which is no member', async () => {
		const { userId } = await addManaged()
		const body = { email: managed, password: 'correct horse battery', name: 'Real' }
		const { data } = (await world.ask(signup, { body })).ok
		expect(data.user.id).not.toBe(userId)
		expect(await isMember(data.token)).toBe(false)
		const again = (await vouch({ ssoUserId: 'u-1', email: managed, headline: 'Hi' })).ok.data
		expect(again).toMatchObject({ userId, managed: true })
		expect(await isMember(data.token)).toBe(false)
	})

	test('an invitation to the address makes a second member, beside the managed one', async () => {
		const { memberId } = await addManaged()
		const person = await world.person({ email: managed })
		const invited = await inviteAndAccept(world, { id: String(community.id), owner: community.owner }, person)
		expect(invited).not.toBe(memberId)
		const list = await world.ask(
			contract.listCommunityMembers,
			{ ...(at() as object), query: { email: managed } } as never,
			server,
		)
		expect(list.ok.data.map(({ id, managed: isManaged }) => [id, isManaged])).toEqual([
			[memberId, true],
			[invited, false],
		])
	})

	test('an invitation can’t take the ssoUserId of a managed member over', async () => {
		await addManaged()
		const body = { email: 'eve@example.org', ssoUserId: 'u-1' }
		const invite = { ...(at() as object), body } as never
		expect((await world.ask(contract.addCommunityMember, invite, community.owner)).status).toBe(409)
	})

	test('moving an account to the address does not make it the managed member', async () => {
		await addManaged()
		const bo = await world.person()
		await select(world, `update users set email_verified_at = null where id = ${bo.userId} returning 1`)
		const wanted = { newEmail: managed, currentPassword: bo.password }
		expect((await world.ask(requestEmailChange, { body: wanted }, bo)).status).toBe(200)
		const moved = { newEmail: managed, newCode: codeSentTo(world, managed) }
		const { data } = (await world.ask(confirmEmailChange, { body: moved }, bo)).ok
		expect(data.user.email).toBe(managed)
		expect(await isMember(data.token)).toBe(false)
	})

	test('a managed member can’t become a superadmin, and a lock ends their tokens', async () => {
		const { memberId, userId } = await addManaged()
		const { access_token: token } = await memberTokens(world, server.key ?? '', memberId)
		const user = { params: { userId: String(userId) } } as never
		expect((await world.ask(promoteUser, user, root)).status).toBe(409)
		expect(await isMember(token)).toBe(true)
		expect((await world.ask(lockUser, user, root)).status).toBe(200)
		expect(await isMember(token)).toBe(false)
		expect((await vouch({ ssoUserId: 'u-1', headline: 'Back' })).status).toBe(200)
		const exchange = { body: { sso_user_id: 'u-1' } }
		expect((await world.ask(createMemberToken, exchange, server)).status).toBe(404)
	})

	test('a suspended organization adds nobody, and its managed members get nothing until it is lifted', async () => {
		const { memberId } = await addManaged()
		const { access_token: token } = await memberTokens(world, server.key ?? '', memberId)
		const why = { params: { orgId: community.orgId }, body: { reason: 'abuse' as const } }
		await world.ask(suspendOrg, why, root)
		expect((await vouch({ ssoUserId: 'u-2', name: 'B' })).code).toBe('org_suspended')
		expect((await world.ask(createMemberToken, { body: { sso_user_id: 'u-1' } }, server)).code).toBe(
			'org_suspended',
		)
		expect(await isMember(token)).toBe(false)
		await world.ask(unsuspendOrg, why, root)
		expect(await isMember(token)).toBe(true)
	})
})

describe('what a credential reaches', () => {
	test('the token of a managed member opens no operation of an account', async () => {
		const { memberId } = await addManaged()
		const { access_token } = await memberTokens(world, server.key ?? '', memberId)
		const forAccounts = [
			'session',
			'unverified-session',
			'read',
			'write',
			'admin',
			'org-admin-person',
			'superadmin',
		]
		const answers = (await askEverything(world, community.orgId, access_token)).filter(({ op }) =>
			forAccounts.includes(op.auth),
		)
		expect(answers.length).toBeGreaterThan(150)
		expect(answers.filter(({ status }) => status !== 401).map(({ op }) => op.id)).toEqual([])
	})

	test('a key with members:write alone adds, lists, reads, changes and exports members, and nothing else', async () => {
		const key = await community.key(['members:write'])
		const reached = (await askEverything(world, community.orgId, key))
			.filter(
				({ op, status }) =>
					!['public', 'viewer', 'renewal', 'metrics'].includes(op.auth) && ![401, 403].includes(status),
			)
			.map(({ op }) => op.id)
		expect(reached.toSorted()).toEqual([
			'addCommunityMember',
			'addCommunityMembers',
			'exportManagedMember',
			'getCommunityMember',
			'listAccessGroupsOfMember',
			'listCommunityMembers',
			'updateCommunityMember',
			// Says whose the key is.
			'whoAmI',
		])
		const invite = { ...(at() as object), body: { email: 'a@example.org' } } as never
		expect(await world.ask(contract.addCommunityMember, invite, { key })).toMatchObject({
			status: 403,
			error: 'the API key lacks the scope admin',
		})
	})

	test('a key of another organization neither adds, changes nor finds managed members', async () => {
		const { memberId } = await addManaged()
		const other = await openCommunity(world, 'other')
		const key = await other.key(['members:write', 'admin', 'headless:auth'])
		const before = await select(world, 'select * from memberships order by id')
		const body = { members: [{ ssoUserId: 'u-1', name: 'Taken' }] }
		const answers = [
			await vouch({ ssoUserId: 'u-1', name: 'Taken' }, { key }),
			await vouch({ ssoUserId: 'u-1', name: 'Taken', profileFields: { x: 'y' } }, { key }),
			await world.ask(addCommunityMembers, { ...(at() as object), body } as never, { key }),
			await world.ask(
				contract.updateCommunityMember,
				{ ...(at(memberId) as object), body: { headline: 'x' } } as never,
				{ key },
			),
			await world.ask(contract.removeCommunityMember, at(memberId), { key }),
			await world.ask(createMemberToken, { body: { sso_user_id: 'u-1' } }, { key }),
			await world.ask(createMemberToken, { body: { community_member_id: memberId } }, { key }),
		]
		expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
		expect(await select(world, 'select * from memberships order by id')).toEqual(before)
		// The same id in their own system is somebody else.
		const own = {
			params: { communityId: String(other.id) },
			body: { status: 'active', ssoUserId: 'u-1', name: 'Own' },
		}
		const { ok } = await world.ask(contract.addCommunityMember, own as never, { key })
		expect((ok.data as contract.CommunityMember).id).not.toBe(memberId)
	})
})
