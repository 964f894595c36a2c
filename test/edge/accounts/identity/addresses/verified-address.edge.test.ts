import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { sendVerification, verifyEmail } from '#schema/contract/accounts/email-addresses.ts'
import {
	getMe,
	login,
	sendCode,
	signup,
	switchOrg,
	verifyCode,
	verifySignupCode,
} from '#schema/contract/accounts/identity.ts'
import { acceptInvitation, inviteMember, listMembers } from '#schema/contract/accounts/org-members.ts'
import { getOrg } from '#schema/contract/accounts/orgs.ts'
import { logout, refreshToken } from '#schema/contract/accounts/sessions.ts'
import {
	acceptCommunityInvitation,
	inviteToCommunity,
} from '#schema/contract/community/manage/invitations.ts'
import { resetCalendarFeed } from '#schema/contract/community/member/calendar.ts'
import { allOperations } from '#schema/contract/index.ts'
import { requestAccountDeletion } from '#schema/contract/operations/account-deletion.ts'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import { apiKeys, sessions } from '#schema/tables/accounts/identity.ts'
import { signIn } from '../../../../../edge/accounts/identity/sign-in.ts'
import { identityStore } from '../../../../../edge/accounts/identity/store.ts'
import { createApiKey as createKey } from '../../../../../edge/accounts/orgs/api-keys/api-keys.ts'
import type { OrgPerson } from '../../../../../edge/http/caller.ts'
import { codeSentTo, codeUnlike, invitationTokenIn } from '../../../../support/edge/mailbox.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { memberTokens, openCommunity } from '../../../community/community.ts'
import { makeReady } from '../../../watch/playback/ready-asset.ts'

const MINUTE = 60_000

let world: World
/** Somebody who signed up with an address that is not theirs. */
let squatter: Person
beforeEach(async () => {
	world = await openWorld()
	await world.person()
	squatter = await world.person({ email: 'ada@example.org', verified: false })
})

const other = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')
/** Signs in as the owner of the mailbox. */
async function signInByCode(email: string, requestId = 'a-request') {
	await world.ask(sendCode, { body: { email } })
	const headers = { 'x-request-id': requestId }
	return world.ask(verifyCode, { body: { email, code: codeSentTo(world, email) } }, { headers })
}
const verify = (who: { token: string }, code: string) => world.ask(verifyEmail, { body: { code } }, who)
const statusOf = async (token: string) => (await world.ask(getMe, {}, { token })).status
const statusAndCode = ({ status, code }: { status: number; code: string | null }) => [status, code]

describe('an account of a squatter', () => {
	test('the owner’s first code sign-in removes the squatter’s password, sessions, tokens, keys and feeds', {
		tags: 'd1',
	}, async () => {
		const params = { orgId: squatter.orgId }
		const scopes = ['admin' as const, 'headless:auth' as const]
		const { key } = (await world.ask(createApiKey, { params, body: { name: 'k', scopes } }, squatter)).ok.data
		const second = await world.logIn(squatter)
		const fixture = await openCommunity(world)
		const member = await fixture.join(squatter)
		const { url } = (await world.ask(resetCalendarFeed, {}, member)).ok
		const feed = () => world.fetch(new Request(url))
		const grant = await memberTokens(world, await fixture.key(), member.memberId)
		const asMember = () => statusOfMember(grant.access_token, member.headers)
		expect([(await feed()).status, await asMember()]).toEqual([200, 200])

		const owner = (await signInByCode(squatter.email)).ok.data
		expect(owner.user).toMatchObject({ id: squatter.userId, emailVerified: true, hasPassword: false })
		expect(await statusOf(owner.token)).toBe(200)
		for (const token of [squatter.token, second]) {
			expect(await statusOf(token)).toBe(401)
			expect((await world.ask(refreshToken, {}, { token })).status).toBe(401)
		}
		const { email, password } = squatter
		expect((await world.ask(login, { body: { email, password } })).status).toBe(401)
		expect((await world.ask(getOrg, { params }, { key })).status).toBe(401)
		expect((await feed()).status).toBe(404)
		expect(await asMember()).toBe(401)
	})

	const statusOfMember = async (token: string, headers: Record<string, string>) =>
		(
			await world.fetch(
				new Request('https://edge.test/api/headless/v1/community_member', {
					headers: { authorization: `Bearer ${token}`, ...headers },
				}),
			)
		).status

	test('a request in progress during the claim of an account creates no API key', async () => {
		const params = { orgId: squatter.orgId }
		await world.ask(createApiKey, { params, body: { name: 'k' } }, squatter)
		const [session] = await world.deps(({ db }) =>
			db.select().from(sessions).where(eq(sessions.userId, squatter.userId)),
		)
		if (!session) throw new Error('the session is missing')
		await signInByCode(squatter.email)
		// Such a request has checked its session before the claim and runs its insert afterwards.
		const org = { id: squatter.orgId, tier: 'free' }
		const late = { userId: squatter.userId, sessionId: session.id, org } as OrgPerson
		const input = { name: 'late', scopes: [], expiresAt: null }
		await expect(world.deps((deps) => createKey(deps, late, input))).rejects.toThrow('the session has ended')
		expect(await world.deps(({ db }) => db.select().from(apiKeys))).toEqual([])
	})

	test('an account is claimed only once: the next code revokes nothing', async () => {
		const first = (await signInByCode(squatter.email)).ok.data
		world.pass(MINUTE)
		const second = (await signInByCode(squatter.email)).ok.data
		expect([await statusOf(first.token), await statusOf(second.token)]).toEqual([200, 200])
	})

	test('the claim of an account cancels a deletion that somebody else requested', async () => {
		const body = { confirm_email: squatter.email, delete_content: true }
		expect((await world.ask(requestAccountDeletion, { body }, squatter)).status).toBeLessThan(300)
		await signInByCode(squatter.email)
		const open = `select status from account_deletion_requests where status in ('pending', 'confirmed')`
		expect(await world.deps(({ db }) => db.all(open))).toEqual([])
	})

	test('the devices of an unverified account get no more codes and tries than unknown devices', async () => {
		const { email, password } = squatter
		const devices: string[] = []
		for (let i = 0; i < 4; i++) {
			const { headers } = await world.ask(login, { body: { email, password } })
			devices.push(headers.get('x-device-token') ?? '')
		}
		const requests = devices.map((token) =>
			world.ask(sendCode, { body: { email } }, { headers: { 'x-device-token': token } }),
		)
		expect((await Promise.all(requests)).map(({ status }) => status).toSorted()).toEqual([200, 429, 429, 429])
		const code = other(codeSentTo(world, email))
		const tries: number[] = []
		for (const token of devices)
			for (let i = 0; i < 5; i++)
				tries.push(
					(await world.ask(verifyCode, { body: { email, code } }, { headers: { 'x-device-token': token } }))
						.status,
				)
		expect(tries.filter((status) => status === 401)).toHaveLength(5)
	})

	test('an account cannot be claimed after it moved to another address', async () => {
		const user = await world.deps(({ db }) => identityStore(db).findUser(squatter.userId))
		if (!user) throw new Error('the account is missing')
		await world.deps(({ db }) =>
			db.all(
				`update users set email = 'moved@example.org', email_verified_at = 1 where id = ${user.id} returning 1`,
			),
		)
		const origin = {
			ip: '192.0.2.1',
			userAgent: '',
			country: null,
			request: new Request('https://edge.test'),
			headers: new Headers(),
		}
		await expect(world.deps((d) => signIn(d, user, origin, 'code', 'not proved'))).rejects.toMatchObject({
			code: 'unauthorized',
		})
	})

	test('a password does not verify the address of an account', async () => {
		const { email, password } = squatter
		const { user } = (await world.ask(login, { body: { email, password } })).ok.data
		expect(user.emailVerified).toBe(false)
	})

	test.each(['admin', 'owner'] as const)(
		'the claim makes every other %s of the account’s organizations a member on record, and deletes open invitations',
		async (role) => {
			const accomplice = await world.person()
			const params = { orgId: squatter.orgId }
			await world.ask(inviteMember, { params, body: { email: accomplice.email, role } }, squatter)
			await world.ask(acceptInvitation, { body: { token: await invitationTokenIn(world) } }, accomplice)
			const inside = (await world.ask(switchOrg, { body: { orgId: squatter.orgId } }, accomplice)).ok.data
			const { key } = (await world.ask(createApiKey, { params, body: { name: 'k' } }, inside)).ok.data
			const fixture = await openCommunity(world)
			await world.deps(({ db }) =>
				db.all(`update communities set org_id = '${squatter.orgId}' where id = ${fixture.id} returning id`),
			)
			const body = { email: 'later@example.org' }
			await world.ask(inviteMember, { params, body }, squatter)
			await world.ask(inviteToCommunity, { params: { communityId: String(fixture.id) }, body }, squatter)

			const owner = (await signInByCode(squatter.email, 'the-claim')).ok.data
			const { data } = (await world.ask(listMembers, { params, query: {} }, owner)).ok
			expect(data.map(({ userId, role }) => [userId, role]).toSorted()).toEqual(
				[
					[squatter.userId, 'owner'],
					[accomplice.userId, 'member'],
				].toSorted(),
			)
			expect((await world.ask(getOrg, { params }, { key })).status).toBe(401)
			const inFixture = await world.deps(({ db }) =>
				db.all(`select role from memberships where community_id = ${fixture.id}`),
			)
			expect(inFixture).toEqual([{ role: 'member' }])
			const open = await world.deps(({ db }) =>
				db.all(
					'select 1 from org_invitations where accepted_at is null union all select 1 from community_invitations where accepted_at is null',
				),
			)
			expect(open).toEqual([])
			const recorded = await world.deps(({ db }) =>
				db.all(
					`select action, org_id as orgId, actor_user_id as actor, target_user_id as target,
						json_extract(details, '$.role') as role, json_extract(details, '$.before') as former
					from audit_log where request_id = 'the-claim' order by action`,
				),
			)
			const entry = { orgId: squatter.orgId, actor: squatter.userId, role: 'member' }
			expect(recorded).toEqual([
				{ ...entry, action: 'community_member.updated', target: fixture.owner.userId, former: null },
				{ ...entry, action: 'member.role_changed', target: accomplice.userId, former: role },
			])
		},
	)

	test('a claimed account keeps its roles in organizations that have an owner with a verified address', async () => {
		const founder = await world.person()
		const params = { orgId: founder.orgId }
		await world.deps(({ db }) =>
			db.all(
				`insert into org_members (org_id, user_id, role, created_at) values ('${founder.orgId}', ${squatter.userId}, 'owner', 1) returning 1`,
			),
		)
		const owner = (await signInByCode(squatter.email)).ok.data
		const { data } = (await world.ask(listMembers, { params, query: {} }, founder)).ok
		expect(data.map(({ role }) => role)).toEqual(['owner', 'owner'])
		expect(owner.user.id).toBe(squatter.userId)
	})
})

describe('invitations and verified addresses', () => {
	test('an account with an unverified address cannot accept an invitation to an organization', {
		tags: 'd1',
	}, async () => {
		const inviter = await world.person()
		const body = { email: squatter.email }
		await world.ask(inviteMember, { params: { orgId: inviter.orgId }, body }, inviter)
		const token = await invitationTokenIn(world)
		const accept = () => world.ask(acceptInvitation, { body: { token } }, squatter)
		expect(statusAndCode(await accept())).toEqual([403, 'email_unverified'])
		expect((await world.ask(switchOrg, { body: { orgId: inviter.orgId } }, squatter)).status).toBe(404)
		world.pass(MINUTE)
		await world.ask(sendVerification, {}, squatter)
		await verify(squatter, codeSentTo(world, squatter.email))
		expect((await accept()).status).toBe(200)
	})

	test('an account with an unverified address cannot accept an invitation to a community', {
		tags: 'd1',
	}, async () => {
		const fixture = await openCommunity(world)
		const params = { communityId: String(fixture.id) }
		await world.ask(inviteToCommunity, { params, body: { email: squatter.email } }, fixture.owner)
		const code = codeSentTo(world, squatter.email)
		const token = await invitationTokenIn(world)
		const accept = () => world.ask(acceptCommunityInvitation, { body: { token } }, squatter)
		expect(statusAndCode(await accept())).toEqual([403, 'email_unverified'])
		await verify(squatter, code)
		expect((await accept()).status).toBe(200)
	})

	test('signing up with an invitation verifies the invited address, and no other address can use it', {
		tags: 'd1',
	}, async () => {
		const inviter = await world.person()
		const body = { email: 'bob@example.org' }
		await world.ask(inviteMember, { params: { orgId: inviter.orgId }, body }, inviter)
		const invitationToken = await invitationTokenIn(world)
		const signUp = (email: string) =>
			world.ask(signup, { body: { email, password: 'long enough', name: 'Bob', invitationToken } })
		expect((await signUp('eve@example.org')).status).toBe(404)
		expect((await signUp('bob@example.org')).ok.data.user.emailVerified).toBe(true)
	})
})

describe('the code that verifies an address', () => {
	test('the code that verifies an address is mailed after sign-up, and keeps the password and the sessions', {
		tags: 'd1',
	}, async () => {
		const second = await world.logIn(squatter)
		const verified = await verify(squatter, codeSentTo(world, squatter.email))
		expect(verified.ok.data).toMatchObject({ id: squatter.userId, emailVerified: true, hasPassword: true })
		expect([await statusOf(squatter.token), await statusOf(second)]).toEqual([200, 200])
		await signInByCode(squatter.email)
		expect(await statusOf(second)).toBe(200)
		expect(await world.logIn(squatter)).toEqual(expect.any(String))
	})

	test('the code that verifies an address is rejected when wrong, used, expired or of another account', async () => {
		const code = codeSentTo(world, squatter.email)
		const bob = await world.person({ email: 'bob@example.org', verified: false })
		expect(statusAndCode(await verify(squatter, other(code)))).toEqual([403, 'forbidden'])
		await codeUnlike(world, code, bob.email, () => world.ask(sendVerification, {}, bob))
		expect((await verify(bob, code)).status).toBe(403)
		world.pass(10 * MINUTE)
		expect((await verify(squatter, code)).status).toBe(403)
		await world.ask(sendVerification, {}, squatter)
		const fresh = codeSentTo(world, squatter.email)
		expect((await verify(squatter, fresh)).status).toBe(200)
		expect(statusAndCode(await verify(squatter, fresh))).toEqual([409, 'conflict'])
	})

	test('a verification code cannot sign in, and a sign-in code cannot verify an address', {
		tags: 'd1',
	}, async () => {
		const { email } = squatter
		const forVerifying = codeSentTo(world, email)
		const sendForSigningIn = () => world.ask(sendCode, { body: { email } })
		await sendForSigningIn()
		const forSigningIn = await codeUnlike(world, forVerifying, email, sendForSigningIn)
		expect((await world.ask(verifyCode, { body: { email, code: forVerifying } })).status).toBe(401)
		expect((await verify(squatter, forSigningIn)).status).toBe(403)
	})

	test('verification codes are sent at most once a minute, five times an hour and ten times a day', async () => {
		const statuses: number[] = []
		for (let i = 0; i < 5; i++) {
			statuses.push((await world.ask(sendVerification, {}, squatter)).status)
			world.pass(MINUTE)
		}
		expect(statuses).toEqual([429, 200, 200, 200, 200])
		expect((await world.ask(sendVerification, {}, squatter)).status).toBe(429)
		for (let i = 0; i < 6; i++) {
			world.pass(60 * MINUTE)
			statuses.push((await world.ask(sendVerification, {}, squatter)).status)
		}
		expect(statuses.slice(5)).toEqual([200, 200, 200, 200, 200, 429])
	})
})

describe('allowed mail domains', () => {
	beforeEach(() => world.set({ REGISTRATION_ALLOWED_DOMAINS: 'example.org' }))

	test('an account with an unverified address can do nothing but verify it, with allowed mail domains', {
		tags: 'd1',
	}, async () => {
		const { token, user } = (
			await world.ask(signup, { body: { email: 'eve@example.org', password: 'long enough', name: 'Eve' } })
		).ok.data
		const known = ['public', 'viewer', 'renewal', 'unverified-session', 'headless-auth', 'upload', 'machine']
		const guarded = allOperations.filter(({ auth }) => ![...known, 'registration', 'metrics'].includes(auth))
		expect(guarded.length).toBeGreaterThan(100)
		const fixture = await openCommunity(world)
		await fixture.join({ ...squatter, userId: user.id })
		for (const op of guarded) {
			const path = op.path.replaceAll(/\{(\w+)\}/g, (_, name) => (name === 'orgId' ? squatter.orgId : '1'))
			const answer = await world.fetch(
				new Request(`https://edge.test${path}`, {
					method: op.method.toUpperCase(),
					headers: { authorization: `Bearer ${token}`, ...fixture.headers },
				}),
			)
			expect([op.id, answer.status, answer.headers.get('x-error-code')]).toEqual([
				op.id,
				403,
				'email_unverified',
			])
			await answer.body?.cancel()
		}
		expect((await verify({ token }, codeSentTo(world, 'eve@example.org'))).status).toBe(200)
		expect(await statusOf(token)).toBe(200)
	})

	test('an account older than the list of mail domains must verify its address too, at every sign-in', async () => {
		expect(await statusOf(squatter.token)).toBe(403)
		expect(await statusOf(await world.logIn(squatter))).toBe(403)
		const renewed = (await world.ask(refreshToken, {}, squatter)).ok.data.token
		expect(await statusOf(renewed)).toBe(403)
		expect((await world.ask(logout, {}, { token: renewed })).status).toBe(200)
	})

	test('an account with an unverified address can watch but not edit its own videos', async () => {
		world.set({ REGISTRATION_ALLOWED_DOMAINS: '' })
		const { playbackId } = await makeReady(world, squatter)
		const canEdit = async () =>
			(await world.ask(getPlayback, { params: { playbackId }, query: {} }, squatter)).ok.data.canEdit
		expect(await canEdit()).toBe(true)
		world.set({ REGISTRATION_ALLOWED_DOMAINS: 'example.org' })
		expect(await canEdit()).toBe(false)
	})

	test('an account created with a code or an invitation needs no further verification', async () => {
		const email = 'bob@example.org'
		await world.ask(sendCode, { body: { email } })
		const body = { email, code: codeSentTo(world, email), name: 'Bob' }
		expect(await statusOf((await world.ask(verifySignupCode, { body })).ok.data.token)).toBe(200)
		const guest = 'guest@example.net'
		const inviter = await world.person()
		await world.ask(inviteMember, { params: { orgId: inviter.orgId }, body: { email: guest } }, inviter)
		const invitationToken = await invitationTokenIn(world)
		const signedUp = await world.ask(signup, {
			body: { email: guest, password: 'long enough', name: 'Guest', invitationToken },
		})
		expect(await statusOf(signedUp.ok.data.token)).toBe(200)
	})
})
