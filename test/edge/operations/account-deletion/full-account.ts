import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { requestEmailChange } from '#schema/contract/accounts/email-addresses.ts'
import { sendCode, switchOrg, updateMe } from '#schema/contract/accounts/identity.ts'
import { inviteMember, updateMember } from '#schema/contract/accounts/org-members.ts'
import { createOrg } from '#schema/contract/accounts/orgs.ts'
import { updatePreferences } from '#schema/contract/accounts/preferences.ts'
import { updateAiSettings } from '#schema/contract/ai/settings.ts'
import { createInvitationLink } from '#schema/contract/community/manage/invitation-links.ts'
import { inviteToCommunity } from '#schema/contract/community/manage/invitations.ts'
import { addCommunityMember } from '#schema/contract/community/manage/memberships.ts'
import { awardPoints } from '#schema/contract/community/manage/points.ts'
import { setAvatar } from '#schema/contract/community/member/avatars.ts'
import { createBookmark } from '#schema/contract/community/member/bookmarks.ts'
import { resetCalendarFeed } from '#schema/contract/community/member/calendar.ts'
import { attendEvent } from '#schema/contract/community/member/events.ts'
import { followPost } from '#schema/contract/community/member/followers.ts'
import { addPostImage } from '#schema/contract/community/member/images.ts'
import { updateProfile } from '#schema/contract/community/member/members.ts'
import { flagContent, hidePost } from '#schema/contract/community/member/moderation.ts'
import { updateNotificationPreferences } from '#schema/contract/community/member/notifications.ts'
import { createPostComment } from '#schema/contract/community/member/post-comments.ts'
import { react } from '#schema/contract/community/member/post-reactions.ts'
import { createPost, deletePost } from '#schema/contract/community/member/posts.ts'
import { impersonate } from '#schema/contract/operations/admin/impersonation.ts'
import { deleteAsset } from '#schema/contract/video/assets.ts'
import { createComment } from '#schema/contract/watch/comments.ts'
import { setLogo } from '#schema/contract/watch/settings/logo.ts'
import type { Person } from '../../../support/edge/world.ts'
import { wholePng as png } from '../../../support/shared/whole-pictures.ts'
import { startDevice } from '../../accounts/device-flow/device.ts'
import { addPasskey } from '../../accounts/identity/passkeys/software-authenticator.ts'
import {
	completeWith,
	requestTicket,
	setUpApp,
} from '../../accounts/identity/second-factor/authenticator-app.ts'
import { createEndpoint } from '../../accounts/webhooks/receiver.ts'
import { insert, memberTokens, openCommunity } from '../../community/community.ts'
import { openMachine } from '../../video/transcoding/fake-machine.ts'
import { aFilm } from '../../video/transcoding/sources.ts'
import { openStudio } from '../../video/transcoding/transcoding-fixture.ts'
import { base64, openUpload, PART } from '../../video/uploads/tus/tus-fixture.ts'
import type { DeletionWorld } from './deletion-world.ts'

/** Texts that identify the person wherever they remain. */
export const traces = [
	'ada.lovelace',
	'Ada Lovelace',
	'ada-lovelace',
	'Lovelace',
	'Countess',
	'Augusta',
	'203.0.113.77',
]
export const ip = '203.0.113.77'

/**
 * Does everything that an account can do, as Ada Lovelace. A test compares the result with the registry of personal data:
 * a table that is added there needs rows from here.
 */
export async function fillAccount(world: DeletionWorld, root: Person, ada: Person) {
	// One organization with other members, which stays, and one without, which is deleted.
	const params = { orgId: ada.orgId }
	await world.ask(createApiKey, { params, body: { name: 'k' } }, ada)
	await (await startDevice(world)).approve(ada)
	await world.ask(inviteMember, { params, body: { email: 'friend@example.net' } }, ada)
	const friend = await world.person({ email: 'friend@example.net', name: 'Friend' })
	const join = (orgId: string, who: Person, at: number, role = 'member') =>
		world.rows(`insert into org_members values ('${orgId}', ${who.userId}, '${role}', ${at}) returning 1`)
	await join(ada.orgId, friend, 6)
	const friendly = { ...params, userId: String(friend.userId) }
	await world.ask(updateMember, { params: friendly, body: { role: 'admin' } }, ada)
	await world.ask(inviteMember, { params: { orgId: root.orgId }, body: { email: ada.email } }, root)
	await join(root.orgId, ada, 5)
	const inRoot = { orgId: root.orgId, userId: String(ada.userId) }
	await world.ask(updateMember, { params: inRoot, body: { role: 'admin' } }, root)
	await world.rows(
		`update audit_log set on_behalf_of_user_id = ${ada.userId}, on_behalf_of_email = '${ada.email}', on_behalf_of_salt = 'salt' where position = 1 returning 1`,
	)
	const { app } = await setUpApp(world, ada)
	await addPasskey(world, ada, 'Phone of Lovelace')
	await world.ask(updatePreferences, { body: { theme: 'dark' } }, ada)
	const films = (await world.ask(createOrg, { body: { name: 'Lovelace Films' } }, ada)).ok.data
	const filmsSession = (await world.ask(switchOrg, { body: { orgId: films.id } }, ada)).ok.data
	const video = await makeVideos(world, { ...ada, token: filmsSession.token, orgId: films.id })
	await createEndpoint(world, { ...filmsSession, orgId: films.id })
	await world.ask(setLogo, {}, { ...filmsSession, bytes: png })
	const transcription = {
		provider: 'openai-compatible' as const,
		baseUrl: 'https://asr.example.net/v1',
		apiKey: 'lovelace-0123456789',
	}
	await world.ask(
		updateAiSettings,
		{ body: { transcription, limits: { audioSecPerMonth: 60 } } },
		filmsSession,
	)
	await fillAiCalls(world, films.id)
	await fillBilling(world, ada.userId, films.id)
	const filmsKey = (
		await world.ask(createApiKey, { params: { orgId: films.id }, body: { name: 'k' } }, filmsSession)
	).ok.data.key

	// A membership in a community, used directly and through the organization's server.
	const fixture = await openCommunity(world)
	const member = await fixture.join(ada, {
		sso_user_id: 'lovelace-7',
		avatar_url: 'https://img.example/lovelace.png',
	})
	const other = await fixture.join(friend)
	await insert(world, 'profile_fields', {
		community_id: fixture.id,
		key: 'family',
		label: 'Family',
		field_type: 'text',
		required: 0,
		options: '[]',
		created_at: 1,
	})
	const profile = {
		name: 'Countess Lovelace',
		headline: 'Countess',
		bio: 'Lovelace',
		profile_fields: { family: 'Lovelace' },
	}
	await world.ask(updateProfile, { body: profile }, member)
	for (let i = 0; i < 2; i++) await world.ask(setAvatar, {}, { ...member, bytes: png })
	// The organization created at sign-up is named after the former name.
	await world.ask(updateMe, { body: { name: 'Augusta Ada King' } }, ada)
	const space = await fixture.space()
	const post = async (who: typeof member, body: string) =>
		(await world.ask(createPost, { params: { spaceId: String(space) }, body: { body } }, who)).ok.id
	const on = (postId: number) => ({ params: { postId: String(postId) } })
	const [mine, his] = [await post(member, 'Notes on the engine'), await post(other, 'A mill')]
	await world.ask(addPostImage, on(mine), { ...member, bytes: png })
	await world.ask(createPostComment, { ...on(his), body: { body: 'Note G' } }, member)
	await world.ask(createPostComment, { ...on(mine), body: { body: 'Well done' } }, other)
	await world.ask(react, { body: { reactable_type: 'Post', reactable_id: his } }, member)
	await world.ask(createBookmark, { body: { bookmarkable_type: 'Post', bookmarkable_id: his } }, member)
	await world.ask(followPost, on(his), member)
	await world.ask(
		flagContent,
		{ body: { content_type: 'Post', content_id: his, reason: 'Not what Lovelace wrote' } },
		member,
	)
	await world.ask(deletePost, on(await post(member, 'What Lovelace regrets')), member)
	await world.ask(hidePost, on(await post(member, 'What Lovelace should not have said')), fixture.owner)
	const event = await fixture.event(space, { host_id: ada.userId })
	await world.ask(attendEvent, { params: { eventId: String(event) } }, member)
	await fixture.grant([member.memberId], [space])
	await world.ask(updateNotificationPreferences, { body: { event_changed: false } }, member)
	const tokens = await memberTokens(world, await fixture.key(), member.memberId)
	const calendarUrl = (await world.ask(resetCalendarFeed, {}, member)).ok.url
	// The traces of managing a community.
	await join(fixture.orgId, ada, 7, 'admin')
	const manager = (await world.ask(switchOrg, { body: { orgId: fixture.orgId } }, ada)).ok.data
	const of = (id: number) => ({ params: { communityId: String(id) } })
	const award = (who: { token: string }, memberId: number, reason: string) =>
		world.ask(awardPoints, { ...of(fixture.id), body: { memberId, points: 5, reason } }, who)
	await award(manager, other.memberId, 'Well counted')
	await award(fixture.owner, member.memberId, 'Lovelace wrote the first program')
	await world.ask(inviteToCommunity, { ...of(fixture.id), body: { email: 'new@example.net' } }, manager)
	await world.ask(createInvitationLink, { ...of(fixture.id), body: { name: 'Club' } }, manager)
	const salon = await openCommunity(world, 'salon')
	const invitedProfile = {
		ssoUserId: 'lovelace',
		headline: 'Lovelace',
		bio: 'Lovelace',
		avatarUrl: 'https://lovelace.test/a',
	}
	await world.ask(
		addCommunityMember,
		{ ...of(salon.id), body: { email: ada.email, ...invitedProfile } },
		salon.owner,
	)
	// Creates notifications for her and for the others.
	await world.settle()

	// A superadmin acts as her, and she, as a superadmin for a while, acts as a friend.
	const reason = 'Lovelace asked for help'
	await world.ask(impersonate, { body: { userId: ada.userId, orgId: ada.orgId, reason } }, root)
	const isRoot = (value: 0 | 1) =>
		world.rows(`update users set is_superadmin = ${value} where id = ${ada.userId} returning 1`)
	await isRoot(1)
	const ofFriend = { userId: friend.userId, orgId: friend.orgId, reason: 'The friend asked for help' }
	await world.ask(impersonate, { body: ofFriend }, ada)
	await isRoot(0)

	await world.ask(sendCode, { body: { email: ada.email } }, { ip })
	const change = { newEmail: 'ada.lovelace@new.example', currentPassword: ada.password }
	await world.ask(requestEmailChange, { body: change }, { ...ada, ip })
	const browser = { ip, headers: { 'user-agent': 'Lovelace Browser' } }
	const ticket = await requestTicket(world, ada, browser)
	const session = await completeWith(world, { ticket, totp: await app.nextCode() }, browser)
	// A deletion request that was cancelled.
	await world.request(ada, {}, ip)
	await world.cancel(ada, await world.readMailedToken(ada), ip)
	// A dead letter.
	await world.deliver(
		[{ type: 'mail.send', id: 'm', to: ada.email, subject: 'Hello Ada Lovelace', text: 'x', html: 'x' }],
		'playhouse-background-dead',
	)
	return {
		friend,
		fixture,
		member,
		films: films.id,
		credentials: {
			sessions: [session.ok.data.token, filmsSession.token],
			key: filmsKey,
			...tokens,
			calendarUrl,
			upload: video.upload,
		},
	}
}

/** Creates a processed video, a failed one, one in the trash and one whose upload is unfinished. */
async function makeVideos(world: DeletionWorld, owner: Person) {
	const studio = openStudio(world, owner)
	const { assetId: failing } = await studio.upload(owner, 'Lovelace fails')
	await studio.start(failing)
	const machine = await openMachine(world, { info: aFilm(10) })
	const task = await machine.claim()
	if (!task) throw new Error('no task to claim')
	await machine.fail(task, 'permanent')
	const { assetId: trashed } = await studio.upload(owner, 'Lovelace in the trash')
	await world.ask(deleteAsset, { params: { assetId: trashed }, query: { trash: 'true' } }, owner)
	const { assetId, playbackId } = await studio.upload(owner, 'Lovelace at work')
	await studio.start(assetId)
	await machine.drain()
	const comment = { authorName: 'Somebody', body: 'So that is Lovelace' }
	await world.ask(createComment, { params: { playbackId }, query: {}, body: comment })
	const upload = await openUpload(world, owner)
	const metadata = `${upload.metadata},origin ${base64('ada-lovelace.mov')}`
	const location = await upload.begin(PART + 10, { headers: { 'upload-metadata': metadata } })
	await upload.patch(location, 0, new Uint8Array(PART + 5).fill(65))
	return { upload: { token: upload.token, location } }
}

async function fillBilling(world: DeletionWorld, userId: number, orgId: string): Promise<void> {
	await world.rows(
		`insert into billing_accounts (org_id, customer_id, reconcile_at, created_at) values ('${orgId}', 'cus_1', 1, 1) returning 1`,
	)
	await world.rows(
		`insert into billing_trials (user_id, org_id, offered_at) values (${userId}, '${orgId}', 1) returning 1`,
	)
	await world.rows(
		`insert into billing_usage (org_id, metric, day, start_ms, end_ms) values ('${orgId}', 'encode', '2037-11-21', 0, 1) returning 1`,
	)
}

/** A call of a provider that failed, and one that is waiting for a callback that has arrived. */
async function fillAiCalls(world: DeletionWorld, orgId: string): Promise<void> {
	const columns = 'id, org_id, provider, audio_ms, cost_micros, month, status, created_at'
	await world.rows(
		`insert into ai_calls (${columns}) values ('aic_1', '${orgId}', 'deepgram', 1, 1, '2037-11', 'waiting', 1) returning 1`,
	)
	await world.rows(
		`insert into ai_breakers (org_id, provider, failures, open_until, open_ms) values ('${orgId}', 'deepgram', 1, 0, 0) returning 1`,
	)
	await world.rows(
		`insert into ai_deliveries (call_id, delivery_id, org_id, body_key, received_at) values ('aic_1', 'd', '${orgId}', 'k', 1) returning 1`,
	)
}
