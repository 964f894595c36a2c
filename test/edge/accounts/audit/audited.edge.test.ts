import { beforeEach, describe, expect, test } from 'vitest'
import { replaceAllowedOrigins } from '#schema/contract/accounts/allowed-origins.ts'
import * as apiKeys from '#schema/contract/accounts/api-keys.ts'
import { createCheckout, createPortal } from '#schema/contract/accounts/billing.ts'
import {
	approveDeviceRequest,
	DEVICE_GRANT,
	pollDeviceToken,
	startDeviceRequest,
} from '#schema/contract/accounts/device-flow.ts'
import { sendCode, signup, verifyCode, verifySignupCode } from '#schema/contract/accounts/identity.ts'
import * as orgMembers from '#schema/contract/accounts/org-members.ts'
import * as orgs from '#schema/contract/accounts/orgs.ts'
import { updateSecuritySettings } from '#schema/contract/accounts/security.ts'
import { logout, revokeOtherSessions, revokeSession } from '#schema/contract/accounts/sessions.ts'
import { resetSecondFactor } from '#schema/contract/accounts/sign-in/second-factor.ts'
import { suspendOrg, unsuspendOrg } from '#schema/contract/accounts/suspension.ts'
import * as webhooks from '#schema/contract/accounts/webhooks/endpoints.ts'
import { updateAiSettings } from '#schema/contract/ai/settings.ts'
import * as accessGroups from '#schema/contract/community/manage/access-groups.ts'
import * as communities from '#schema/contract/community/manage/communities.ts'
import * as identityProviders from '#schema/contract/community/manage/identity-providers.ts'
import * as invitationLinks from '#schema/contract/community/manage/invitation-links.ts'
import * as communityInvitations from '#schema/contract/community/manage/invitations.ts'
import { addCommunityMembers } from '#schema/contract/community/manage/managed-members.ts'
import { mergeManagedMembership } from '#schema/contract/community/manage/managed-memberships.ts'
import * as memberships from '#schema/contract/community/manage/memberships.ts'
import { replaceCommunityOrigins } from '#schema/contract/community/manage/origins.ts'
import * as profileFields from '#schema/contract/community/manage/profile-fields.ts'
import * as spaces from '#schema/contract/community/manage/spaces.ts'
import { deactivateMember } from '#schema/contract/community/member/members.ts'
import { banMember, unbanMember } from '#schema/contract/community/member/moderation.ts'
import { finishMemberSignIn } from '#schema/contract/community/member/sign-in.ts'
import { createMemberToken, revokeMemberTokens } from '#schema/contract/community/member/tokens.ts'
import { allOperations } from '#schema/contract/index.ts'
import type { CallInput } from '#schema/contract/kit/client.ts'
import { listAuditActions, type Operation } from '#schema/contract/kit/operation.ts'
import { expediteDeletion, replayErasures } from '#schema/contract/operations/account-deletion.ts'
import { retryAssetErrors } from '#schema/contract/operations/admin/asset-errors.ts'
import { discardDeadLetter, retryDeadLetter } from '#schema/contract/operations/admin/dead-letters.ts'
import {
	endImpersonation,
	impersonate,
	setSupportAccess,
} from '#schema/contract/operations/admin/impersonation.ts'
import { updateOrgTier } from '#schema/contract/operations/admin/orgs.ts'
import * as adminUsers from '#schema/contract/operations/admin/users.ts'
import { recoverWebhookFailures } from '#schema/contract/operations/admin/webhook-failures.ts'
import * as diagnostics from '#schema/contract/operations/diagnostics.ts'
import * as backups from '#schema/contract/operations/installation/backups.ts'
import { resealSecrets } from '#schema/contract/operations/secret-rotation.ts'
import { createAsset, revokePlaybackTokens } from '#schema/contract/video/assets.ts'
import { changeAssets } from '#schema/contract/video/bulk.ts'
import { registerMachine } from '#schema/contract/video/fleet.ts'
import { deleteLogo, setLogo } from '#schema/contract/watch/settings/logo.ts'
import { updateEncodingSettings, updateSettings } from '#schema/contract/watch/settings/settings.ts'
import { codeSentTo, invitationTokenIn } from '../../../support/edge/mailbox.ts'
import { openWorld, type Person, type Who, type World } from '../../../support/edge/world.ts'
import { openProvider } from '../../../support/shared/identity/open-provider.ts'
import { wholePng } from '../../../support/shared/whole-pictures.ts'
import { openCommunity, select } from '../../community/community.ts'
import { addProvider, openBrowser } from '../../community/sign-in/browser.ts'
import { capabilities, fleetToken } from '../../video/fleet/fleet.ts'
import { openBillingWorld } from '../billing/billing-world.ts'
import { setUpApp } from '../identity/second-factor/authenticator-app.ts'

let world: World
let root: Person
/** The operations that a test has performed. Each test adds its own. */
const performed = new Set<string>()

beforeEach(async () => {
	world = await openWorld()
	root = await world.person()
})

type Row = {
	action: string
	org_id: string | null
	actor_user_id: number | null
	ip_address: string | null
	target_id: string | null
}
let requests = 0

/** Performs an operation, and expects that its entry names the request, the caller and the IP address. */
async function perform<const O extends Operation>(
	op: O,
	input: CallInput<O>,
	who: Who & Partial<Person>,
	others: readonly string[] = [],
) {
	performed.add(op.id)
	const requestId = `audited-${++requests}`
	const headers = { ...who.headers, 'x-request-id': requestId }
	const asked = await world.ask(op, input, { ...who, headers, ip: '203.0.113.9' })
	expect([op.id, asked.status, asked.text.slice(0, 200)]).toEqual([op.id, op.status, expect.anything()])
	const written = await select<Row>(
		world,
		`select action, org_id, actor_user_id, ip_address, target_id from audit_log where request_id = '${requestId}' order by position`,
	)
	const rows = written.filter(({ action }) => !others.includes(action))
	const actions = listAuditActions(op)
	expect([op.id, rows.length > 0 && rows.every(({ action }) => actions.includes(action as never))]).toEqual([
		op.id,
		true,
	])
	for (const row of rows) {
		expect(row.ip_address).toBe('203.0.113.9')
		if (who.userId !== undefined) expect([op.id, row.actor_user_id]).toEqual([op.id, who.userId])
	}
	return { ok: asked.ok, rows, actions: rows.map(({ action }) => action) }
}

// The last test sees what the others have performed.
describe('the audit log', { shuffle: false }, () => {
	test('every operation that changes something declares its entry in the audit log', () => {
		const reads = ['get', 'head', 'options']
		const silent = allOperations.filter(({ method, audit }) => !reads.includes(method) && audit === undefined)
		expect(silent.map(({ id }) => id)).toEqual([])
	})

	test('a sign-up is recorded, with the rights of the first user', async () => {
		const first = await select<Row>(world, 'select * from audit_log order by position')
		expect(first.map(({ action, org_id, actor_user_id }) => [action, org_id, actor_user_id])).toEqual([
			['org.created', root.orgId, root.userId],
			['superadmin.granted', null, root.userId],
		])
		const account = { email: 'second@example.org', name: 'Second', password: 'correct horse battery' }
		expect((await perform(signup, { body: account }, {})).actions).toEqual(['org.created'])
		const email = 'third@example.org'
		await world.ask(sendCode, { body: { email } }, {})
		const code = codeSentTo(world, email)
		await perform(verifySignupCode, { body: { email, code, name: 'Third' } }, {})
	})

	test('a sign-in by code that claims an account records whom it demotes', async () => {
		const owner = await world.person({ email: 'ada@example.org', verified: false })
		const friend = await world.person()
		await select(
			world,
			`insert into org_members (org_id, user_id, role, created_at) values ('${owner.orgId}', ${friend.userId}, 'admin', 1) returning 1`,
		)
		const { email, userId } = owner
		await world.ask(sendCode, { body: { email } })
		const claimed = await perform(verifyCode, { body: { email, code: codeSentTo(world, email) } }, { userId })
		expect(claimed.rows).toMatchObject([{ org_id: owner.orgId, target_id: String(friend.userId) }])
	})

	test('changes of an organization, its members and its keys are recorded', async () => {
		const params = { orgId: root.orgId }
		const friend = await world.person({ email: 'friend@example.org' })
		await perform(orgs.createOrg, { body: { name: 'Second' } }, root)
		await perform(orgs.updateOrg, { params, body: { name: 'Renamed' } }, root)
		const open = await perform(orgMembers.inviteMember, { params, body: { email: 'x@example.org' } }, root)
		const revoked = { params: { ...params, invitationId: open.ok.data.id } }
		expect((await perform(orgMembers.revokeInvitation, revoked, root)).rows[0]?.target_id).toBe(
			open.ok.data.id,
		)
		await perform(orgMembers.inviteMember, { params, body: { email: friend.email } }, root)
		await perform(orgMembers.acceptInvitation, { body: { token: await invitationTokenIn(world) } }, friend)
		const member = { ...params, userId: String(friend.userId) }
		await perform(orgMembers.updateMember, { params: member, body: { role: 'admin' } }, root)
		await perform(orgMembers.removeMember, { params: member }, friend)
		const { ok } = await perform(apiKeys.createApiKey, { params, body: { name: 'k' } }, root)
		const device = await world.ask(startDeviceRequest, { body: { client_id: 'cli' } })
		const { device_code, user_code } = device.ok
		const approval = { userCode: user_code, scopes: ['read' as const] }
		await perform(approveDeviceRequest, { params, body: approval }, root)
		const poll = { grant_type: DEVICE_GRANT, device_code, client_id: 'cli' }
		await perform(pollDeviceToken, { body: poll }, { userId: root.userId })
		await perform(apiKeys.deleteApiKey, { params: { ...params, keyId: ok.data.id } }, root)
	})

	test('a checkout and a visit to the billing portal are recorded', async () => {
		const { world: billed, ada, stripe } = await openBillingWorld()
		world = billed
		await perform(createCheckout, { body: { tier: 'pro', interval: 'month' } }, ada)
		await perform(createPortal, {}, ada)
		expect(stripe.sessions.size).toBe(1)
	})

	test('changes of settings, webhooks and playback tokens are recorded', async () => {
		const params = { orgId: root.orgId }
		const url = 'https://example.org/hook'
		await perform(updateSettings, { body: { theme: 'dark' } }, root)
		await perform(updateEncodingSettings, { body: { codecs: ['h264'] } }, root)
		await perform(replaceAllowedOrigins, { body: { origins: ['https://community.example.org'] } }, root)
		await perform(updateSecuritySettings, { body: { recentProofForApiKeys: false } }, root)
		await perform(setLogo, {}, { ...root, bytes: wholePng })
		await perform(deleteLogo, {}, root)
		const limits = { audioSecPerMonth: 60 }
		await perform(updateAiSettings, { body: { transcription: { provider: 'deepgram' }, limits } }, root)
		await perform(updateAiSettings, { body: { transcription: null } }, root)
		const saved = await perform(webhooks.updateWebhookConfig, { params, body: { url } }, root)
		expect(saved.actions).toEqual(['webhook.created'])
		const { ok } = await perform(webhooks.createWebhookEndpoint, { params, body: { url } }, root)
		const endpoint = { ...params, endpointId: ok.data.id }
		await perform(webhooks.updateWebhookEndpoint, { params: endpoint, body: { maxInFlight: 2 } }, root)
		await perform(webhooks.rotateWebhookSecret, { params: endpoint }, root)
		await perform(webhooks.deleteWebhookEndpoint, { params: endpoint }, root)
		const asset = await world.ask(createAsset, { body: { title: 'Film' } }, root)
		await perform(revokePlaybackTokens, { params: { assetId: asset.ok.data.id } }, root)
		const deletion = { assetIds: [asset.ok.data.id], action: { type: 'delete' as const } }
		await perform(changeAssets, { body: deletion }, root)
	})

	test('changes of a community and of what its members may see are recorded', async () => {
		const params = { communityId: '' }
		const body = { name: 'Club', slug: 'club', customDomain: null }
		const { ok } = await perform(communities.createCommunity, { body }, root)
		params.communityId = String(ok.data.id)
		await perform(communities.updateCommunity, { params, body: { name: 'Other' } }, root)
		const listed = { params, body: { origins: ['https://community.example.org'] } }
		await perform(replaceCommunityOrigins, listed, root)
		const space = { name: 'Hall', slug: 'hall', visibility: 'private' } as never
		const created = await perform(spaces.createSpace, { params, body: space }, root)
		const ofSpace = { ...params, spaceId: String(created.ok.data.id) }
		expect(created.rows[0]?.target_id).toBe(ofSpace.spaceId)
		await perform(spaces.updateSpace, { params: ofSpace, body: { visibility: 'public' } as never }, root)
		const group = await perform(accessGroups.createAccessGroup, { params, body: { name: 'G' } }, root)
		const ofGroup = { ...params, accessGroupId: String(group.ok.data.id) }
		expect(group.rows[0]?.target_id).toBe(ofGroup.accessGroupId)
		await perform(accessGroups.updateAccessGroup, { params: ofGroup, body: { name: 'H' } }, root)
		const [owner] = await select<{ id: number }>(world, 'select id from memberships')
		const inGroup = { ...ofGroup, memberId: String(owner?.id) }
		await perform(accessGroups.putAccessGroupMember, { params: inGroup }, root)
		const many = { params: ofGroup, body: { memberIds: [Number(owner?.id)] } }
		await perform(accessGroups.putAccessGroupMembers, many, root)
		await perform(accessGroups.removeAccessGroupMember, { params: inGroup }, root)
		const spaceInGroup = { ...ofGroup, spaceId: ofSpace.spaceId }
		await perform(accessGroups.putAccessGroupSpace, { params: spaceInGroup }, root)
		await perform(accessGroups.removeAccessGroupSpace, { params: spaceInGroup }, root)
		await perform(accessGroups.deleteAccessGroup, { params: ofGroup }, root)
		await perform(spaces.deleteSpace, { params: ofSpace }, root)
		const field = { key: 'town', label: 'Town', fieldType: 'text' } as never
		const added = await perform(profileFields.createProfileField, { params, body: field }, root)
		const ofField = { ...params, fieldId: String(added.ok.data.id) }
		await perform(profileFields.updateProfileField, { params: ofField, body: { label: 'City' } }, root)
		await perform(profileFields.deleteProfileField, { params: ofField }, root)
		await perform(communities.deleteCommunity, { params }, root)
	})

	test('changes of the members of a community are recorded', async () => {
		const fixture = await openCommunity(world)
		const { owner } = fixture
		const params = { communityId: String(fixture.id) }
		const friend = await world.person({ email: 'friend@example.org' })
		const invited = { params, body: { email: 'a@example.org' } }
		await perform(memberships.addCommunityMember, invited, owner)
		const members = [{ ssoUserId: 'vouched', name: 'Vouched', email: 'vouched@example.org' }]
		const vouched = await perform(addCommunityMembers, { params, body: { members } }, owner)
		const ofVouched = { memberId: String(vouched.ok.data[0]?.memberId) } as never
		const vouchedOwner = await world.person({ email: 'vouched@example.org' })
		await perform(mergeManagedMembership, { params: ofVouched }, vouchedOwner)
		const server = { key: await fixture.key(['headless:auth', 'members:write']) }
		const unknown = { sso_user_id: 'first', community_id: fixture.id, create: { name: 'First' } }
		await perform(createMemberToken, { body: unknown }, server)
		const { ok } = await perform(communityInvitations.inviteToCommunity, invited, owner)
		const ofInvitation = { params: { ...params, invitationId: String(ok.data.id) } }
		await perform(communityInvitations.revokeCommunityInvitation, ofInvitation, owner)
		await perform(communityInvitations.inviteMemberByMail, { body: { email: friend.email } as never }, owner)
		const token = await invitationTokenIn(world)
		const accepted = await perform(
			communityInvitations.acceptCommunityInvitation,
			{ body: { token } },
			friend,
		)
		expect(accepted.rows[0]?.org_id).toBe(fixture.orgId)
		const ofMember = { ...params, memberId: String(accepted.ok.data.memberId) }
		await perform(memberships.updateCommunityMember, { params: ofMember, body: { role: 'moderator' } }, owner)
		await perform(banMember, { params: { memberId: ofMember.memberId } }, owner)
		await perform(unbanMember, { params: { memberId: ofMember.memberId } }, owner)
		await perform(revokeMemberTokens, { params: ofMember }, owner)
		const made = await perform(invitationLinks.createInvitationLink, { params, body: { name: 'L' } }, owner)
		const joining = await world.person()
		await perform(invitationLinks.joinByInvitationLink, { body: { token: made.ok.data.token } }, joining)
		const ofLink = { params: { ...params, linkId: String(made.ok.data.id) } }
		await perform(invitationLinks.revokeInvitationLink, ofLink, owner)
		const identity = { label: 'L', issuer: 'https://id.example.org', clientId: 'c', clientSecret: 's' }
		const provided = await perform(
			identityProviders.createIdentityProvider,
			{ params, body: identity } as never,
			owner,
		)
		const { id: providerId } = (provided.ok as { data: { id: number } }).data
		const ofProvider = { params: { ...params, providerId: String(providerId) } }
		await perform(
			identityProviders.updateIdentityProvider,
			{ ...ofProvider, body: { label: 'Login' } } as never,
			owner,
		)
		await perform(identityProviders.deleteIdentityProvider, ofProvider as never, owner)
		const leaving = await fixture.member()
		await perform(deactivateMember, {}, leaving)
		await perform(memberships.removeCommunityMember, { params: ofMember }, owner)
	})

	test('a sign-in with an identity provider that adds a member is recorded for the organization', async () => {
		const provider = await openProvider(() => world.now)
		world = await openWorld({}, { fetchPublic: (url, init) => provider.handle(url, init) })
		const fixture = await openCommunity(world)
		const { id } = await addProvider(world, fixture)
		const browser = openBrowser(world, provider, id)
		const { headers } = await browser.start()
		const back = await provider.authorize(headers.get('location') ?? '')
		const input = { params: { providerId: String(id) }, query: Object.fromEntries(back.searchParams) }
		const { rows } = await perform(finishMemberSignIn, input as never, {
			headers: { cookie: browser.cookie },
		})
		expect(rows).toMatchObject([{ action: 'community_member.vouched', org_id: fixture.orgId }])
	})

	test('changes of the installation are recorded without an organization', async () => {
		const body = { fingerprint: crypto.randomUUID(), name: 'north', protocol: 1, ...capabilities } as const
		const registered = await perform(registerMachine, { body }, { token: fleetToken })
		const params = { machineId: registered.ok.data.id }
		const of = async (op: Parameters<typeof perform>[0], input: object = {}) => {
			const { rows } = await perform(op, input as never, root)
			expect(rows.map((row) => row.org_id)).toEqual(rows.map(() => null))
		}
		await of(diagnostics.pauseMachine, { params })
		// The fleet object of tests has no socket, so the start ends with a conflict after the machine was resumed.
		await startPaused(params)
		await of(diagnostics.setMachinePrice, { params, body: { hourlyPrice: 0.5 } })
		await of(diagnostics.evictMachine, { params })
		await of(diagnostics.readmitMachine, { params })
		await world.deps((d) => d.db.all("update machines set registered_with = 'former' returning 1"))
		await of(diagnostics.signOffOutdatedMachines)
		const ada = await world.person()
		const suspension = { params: { orgId: ada.orgId }, body: { reason: 'abuse' as const } }
		for (const op of [suspendOrg, unsuspendOrg])
			expect((await perform(op, suspension, root)).rows.map((row) => row.org_id)).toEqual([ada.orgId])
		await world.deliver([{ type: 'job.advance', jobId: 'job_1' }], 'playhouse-background-dead')
		const [letter] = await select<{ id: string }>(world, 'select id from dead_letters')
		const ofLetter = { params: { deadLetterId: letter?.id ?? '' } }
		await of(retryDeadLetter, ofLetter)
		await of(discardDeadLetter, ofLetter)
		const fingerprint = 'a'.repeat(22)
		const film = (await world.ask(createAsset, { body: { title: 'Film' } }, ada)).ok.data
		await select(
			world,
			`update assets set status = 'error', error_fingerprint = '${fingerprint}' where id = '${film.id}' returning 1`,
		)
		await of(retryAssetErrors, { params: { fingerprint }, body: {} })
		const override = { tier: 'pro', reason: 'A trial', until: '2038-01-01T00:00:00Z' } as const
		const ofOrg = { params: { orgId: ada.orgId }, body: override }
		expect((await perform(updateOrgTier, ofOrg, root)).rows[0]?.org_id).toBe(ada.orgId)
		const ofEndpoint = { params: { orgId: root.orgId }, body: { url: 'https://example.org/' } }
		const endpoint = (await perform(webhooks.createWebhookEndpoint, ofEndpoint, root)).ok.data
		await select(world, "update webhook_endpoints set status = 'disabled', failing_since = 1")
		const recovery = { params: { endpointId: endpoint.id }, body: { enable: true } }
		expect((await perform(recoverWebhookFailures, recovery, root)).rows[0]?.org_id).toBe(root.orgId)
		const ofAda = { params: { userId: String(ada.userId) } }
		await of(adminUsers.lockUser, ofAda)
		await of(adminUsers.unlockUser, ofAda)
		await of(adminUsers.endUserSessions, ofAda)
		await setUpApp(world, { token: await world.logIn(ada) })
		await of(resetSecondFactor, ofAda)
		await of(adminUsers.promoteUser, ofAda)
		await of(adminUsers.demoteUser, ofAda)
		await of(expediteDeletion, { body: { userId: ada.userId } })
		await of(replayErasures, { body: {} })
		await of(resealSecrets, { body: {} })
		const backup = await perform(backups.runBackup, { body: {} }, root)
		const ofBackup = { params: { backupId: backup.ok.data.id } }
		await world.deliver(world.messages.filter(({ type }) => type === 'backup.continue'))
		await of(backups.verifyBackup, ofBackup)
		await of(backups.createBackupDownload, ofBackup)
		await of(backups.deleteBackup, ofBackup)
	})

	test('the start and the end of an impersonation and changes of support access are recorded', async () => {
		const ada = await world.person()
		const params = { orgId: ada.orgId }
		const body = { userId: ada.userId, orgId: ada.orgId, reason: 'Asked for by ticket' }
		const first = await perform(impersonate, { body }, root)
		// Each request of an impersonation has one more entry.
		await perform(logout, {}, { token: first.ok.data.token, userId: root.userId }, ['impersonation.request'])
		const { id } = (await perform(impersonate, { body }, root)).ok.data.impersonation
		await perform(endImpersonation, { params: { ...params, impersonationId: id } }, ada)
		const own = (await perform(impersonate, { body }, root)).ok.data.impersonation
		await perform(revokeSession, { params: { sessionId: own.id } }, ada)
		await perform(impersonate, { body }, root)
		await perform(revokeOtherSessions, {}, ada)
		await perform(setSupportAccess, { params, body: { allowed: false } }, ada)
	})

	async function startPaused(params: { machineId: string }) {
		performed.add(diagnostics.startMachine.id)
		await world.ask(diagnostics.startMachine, { params }, root)
		const resumed = await select<Row>(world, "select * from audit_log where action = 'machine.resumed'")
		expect(resumed.map(({ target_id }) => target_id)).toEqual([params.machineId])
	}

	test('the tests of recorded operations perform every operation that has an action', () => {
		const audited = allOperations.filter((op) => listAuditActions(op).length > 0).map(({ id }) => id)
		expect(audited.filter((id) => !performed.has(id))).toEqual([])
	})
})

test('a request that changes nothing leaves no entry in the audit log', async () => {
	const stranger = await world.person()
	const count = async () => (await select<{ n: number }>(world, 'select count(*) as n from audit_log'))[0]?.n
	const before = await count()
	const params = { orgId: root.orgId }
	const noKey = { ...params, keyId: `key_${'0'.repeat(26)}` }
	expect((await world.ask(apiKeys.deleteApiKey, { params: noKey }, root)).status).toBe(404)
	const last = { ...params, userId: String(root.userId) }
	expect((await world.ask(orgMembers.removeMember, { params: last }, root)).status).toBe(409)
	const other = { params, body: { name: 'x' } }
	expect((await world.ask(apiKeys.createApiKey, other, stranger)).status).toBe(404)
	const noEndpoint = { ...params, endpointId: `whe_${'0'.repeat(26)}` }
	expect((await world.ask(webhooks.deleteWebhookEndpoint, { params: noEndpoint }, root)).status).toBe(404)
	expect(await count()).toBe(before)
})
