/** @module-tag d1 */
import { beforeEach, expect, test } from 'vitest'
import { type SuspensionReason, suspendOrg, unsuspendOrg } from '#schema/contract/accounts/suspension.ts'
import { allOperations } from '#schema/contract/index.ts'
import { listRefusingSuspensions } from '#schema/contract/kit/acting-in-org.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import { createUploadToken } from '#schema/contract/video/uploads.ts'
import { openWorld, type Person, type Who, type World } from '../../../../support/edge/world.ts'
import { type Community, openCommunity } from '../../../community/community.ts'

const namesIn = (text: string) => text.trim().split(/\s+/)

/** What people may still do while a bill is unpaid. A new operation that is not a read needs a decision. */
const goesOnUnpaid = namesIn(`
addCommunityMember addCommunityMembers addPostImage appendUpload attendEvent awardPoints banMember checkCommunityDomain
approveDeviceRequest cancelDirectUpload cancelJob changeAssets completeUpload createAccessGroup createApiKey createBookmark createCheckout createCollection
createCommunity
createCommunityTopic createIdentityProvider createInvitationLink createEvent createMemberToken createPlaybackToken createPost createPostComment
createProfileField createReply createSavedView createSpace createSpaceGroup createWebhookEndpoint deactivateMember
createStreamToken
createEventStreamToken
deleteAccessGroup deleteApiKey deleteAsset deleteBookmark deleteCalendarFeed deleteCollection deleteComment
deleteCommunity deleteCommunityTopic deleteEvent deleteHighlight deleteImage deleteLogo deletePost
deletePostComment deletePostOfSpace deleteCommentOfPost deleteReply deleteProfileField deleteSavedView deleteSpace deleteSpaceGroup deleteSubtitles deleteWebhookEndpoint
dismissFlag endUpload flagContent followPost hideComment hidePost inviteMember inviteMemberByMail
inviteToCommunity likePost unlikePost likeComment unlikeComment archiveNotification deleteNotification
resetNewNotifications searchMembersByBody joinSpace leaveEvent leaveSpace markSpaceRead markAllNotificationsRead markNotificationRead
deleteIdentityProvider
putAccessGroupMember putAccessGroupMembers putAccessGroupSpace react recoverWebhookEvents removeAccessGroupMember
removeAccessGroupSpace removeCommunityMember removeMember replaceAllowedOrigins replaceChapters
replaceCommunityOrigins replaceTranscript resetCalendarFeed resetThumbnail restoreAsset restoreComment restorePost
retryWebhookEvent syncBilling revokeCommunityInvitation revokeInvitation
revokeInvitationLink
revokeMemberTokens revokePlaybackTokens rotateWebhookSecret setAvatar setLogo setSubtitles setThumbnail
testAiSettings testWebhookConfig testWebhookEndpoint unbanMember unfollowPost unreact updateAccessGroup
updateAiSettings updateAsset updateAudioConfig updateCollection updateComment updateCommunity
updateCommunityMember updateCommunityTopic updateEncodingSettings updateEvent updateImage updateHighlight updateMember
updateNotificationPreferences updateOrg updatePost updatePostOfSpace updatePostComment updateCommentOfPost updateReply updateProfile updateProfileField
updateIdentityProvider
updateSavedView updateSecuritySettings updateSettings updateSpace updateSpaceGroup updateWebhookConfig updateWebhookEndpoint
`)

const refused = allOperations.filter((op) => listRefusingSuspensions(op) !== 'none')
const isRead = ({ method }: Operation) => method === 'get' || method === 'head'

test('every changing operation of an organization has a decision for an unpaid bill', () => {
	const decided = refused.filter((op) => !isRead(op) && listRefusingSuspensions(op) === 'full')
	// One that starts an upload or an encode says `whenSuspended: 'no new work'` instead.
	expect(decided.map(({ id }) => id).toSorted()).toEqual(goesOnUnpaid.toSorted())
	const starting = refused.filter((op) => listRefusingSuspensions(op) === 'any')
	expect(starting.map(({ id }) => id).toSorted()).toEqual([
		'beginUpload',
		'createAsset',
		'createDirectUpload',
		'createUploadToken',
		'createUploadUrl',
		'importSource',
		'makeThumbnail',
		'processAsset',
		'runAiSteps',
		'translateSubtitles',
		'uploadSource',
	])
})

let world: World
let root: Person
let community: Community
let callers: Partial<Record<Operation['auth'], Who[]>>
beforeEach(async () => {
	world = await openWorld()
	root = await world.person()
	community = await openCommunity(world)
	const { owner } = community
	const keys = await Promise.all([community.key(['admin']), community.key(['headless:auth'])])
	const asset = await world.ask(createAsset, { body: { title: 'Film' } }, owner)
	const params = { assetId: asset.ok.data.id }
	const upload = await world.ask(createUploadToken, { params, body: { fileSize: 3 } }, owner)
	const session = { token: owner.token }
	const any = [session, { key: keys[0] }]
	callers = {
		read: any,
		write: any,
		admin: any,
		'org-admin-person': [session],
		session: [session],
		member: [{ ...session, headers: community.headers }],
		'headless-auth': [{ key: keys[1] }],
		upload: [{ token: upload.ok.data.token }],
	}
})

const change = (op: typeof suspendOrg | typeof unsuspendOrg, reason: SuspensionReason) =>
	world.ask(op, { params: { orgId: community.orgId }, body: { reason } }, root)

/** Sends the operation without a body and for resources that do not exist. Returns the error code. */
async function codeOf(op: Operation, who: Who): Promise<string | null> {
	const names = Object.keys(op.params?.shape ?? {})
	const params = Object.fromEntries(names.map((name) => [name, name === 'orgId' ? community.orgId : '999']))
	return (await world.ask(op, { params } as never, who)).code
}

/** Returns the operations that an owner of the organization is refused, whoever of its callers sends them. */
async function refusedOperations(): Promise<string[]> {
	const found: string[] = []
	// Leaving the community is last, as it ends the membership of the caller.
	const last = (op: Operation) => Number(op.id === 'deactivateMember')
	const open = allOperations.filter(({ id }) =>
		namesIn(
			'getOrg getOrgUsage listAuditLog getAuditLogCsv listImpersonations endImpersonation setSupportAccess getBilling createPortal',
		).includes(id),
	)
	for (const op of [...open, ...refused].toSorted((a, b) => last(a) - last(b))) {
		const codes = new Set<boolean>()
		for (const who of callers[op.auth] ?? []) codes.add((await codeOf(op, who)) === 'org_suspended')
		expect([op.id, codes.size]).toEqual([op.id, 1])
		if (codes.has(true)) found.push(op.id)
	}
	return found.toSorted()
}

const idsOf = (which: 'any' | 'all') =>
	refused
		.filter((op) => which === 'all' || listRefusingSuspensions(op) === 'any')
		.map(({ id }) => id)
		.toSorted()

test('an unpaid bill refuses to start uploads and encodes, and nothing else', async () => {
	await change(suspendOrg, 'billing')
	expect(await refusedOperations()).toEqual(idsOf('any'))
})

test.each(['abuse', 'operator'] as const)(
	'a suspension for %s refuses every operation but reading the organization',
	async (reason) => {
		await change(suspendOrg, reason)
		expect(await refusedOperations()).toEqual(idsOf('all'))
	},
)

test('no operation is refused after the last reason of a suspension is lifted', async () => {
	for (const reason of ['billing', 'abuse', 'operator'] as const) await change(suspendOrg, reason)
	for (const reason of ['abuse', 'billing', 'operator'] as const) await change(unsuspendOrg, reason)
	expect(await refusedOperations()).toEqual([])
})

test('a suspension does not affect another organization and the account of a person', async () => {
	await change(suspendOrg, 'abuse')
	const { owner } = community
	const other = await world.person()
	for (const op of allOperations.filter(({ auth, method }) => auth === 'session' && method === 'get'))
		expect([op.id, await codeOf(op, owner)]).not.toEqual([op.id, 'org_suspended'])
	expect((await world.ask(createAsset, { body: { title: 'Film' } }, other)).status).toBe(201)
})
