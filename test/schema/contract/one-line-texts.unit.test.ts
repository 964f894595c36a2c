import { expect, test } from 'vitest'
import type { z } from 'zod'
import { allOperations } from '#schema/contract/index.ts'
import { textsIn } from './texts-in.ts'

const textFields = allOperations.flatMap((op) =>
	op.body ? textsIn(op.body).map(({ path, schema }) => ({ field: `${op.id} ${path}`, schema })) : [],
)

/** The samples put these inside a text, where trimming does not remove them. */
const controlCharacters = [
	'\n',
	'\r\n',
	'\r',
	'\t',
	'\u0000',
	'\u001b',
	'\u007f',
	'\u0085',
	'\u2028',
	'\u2029',
]
const samples = ['a#b', 'https://a.test/#b']

/** Fields that may have several lines. */
const multilineFields = [
	'addCommunityMember bio',
	'addCommunityMembers members.*.bio',
	'createAsset description',
	'createAsset metadata.*',
	'createDirectUpload newAsset.description',
	'createDirectUpload newAsset.metadata.*',
	'createComment body',
	'createEvent description',
	'createEvent in_person_location',
	'createMemberToken create.bio',
	'createPost body',
	'createPostComment body',
	'createReply body',
	'createSavedView filter.q',
	'createSpace description',
	'flagContent reason',
	'hideComment reason',
	'hidePost reason',
	'updateAsset description',
	'updateAsset metadata.*',
	'updateCommentOfPost body',
	'updateCommunityMember bio',
	'updateEvent description',
	'updateEvent in_person_location',
	'updateHighlight description',
	'updateImage alt',
	'updatePost body',
	'updatePostComment body',
	'updatePostOfSpace body',
	'updateProfile bio',
	'updateReply body',
	'updateSavedView filter.q',
	'updateSpace description',
]
/** Only compared with stored values, never stored. */
const secretsAndCursors = [
	'acceptCommunityInvitation token',
	'acceptInvitation token',
	'approveDeviceRequest userCode',
	'cancelAccountDeletion token',
	'changeAssets cursor',
	'changeAssets filter.q',
	'changePassword currentPassword',
	'changePassword newPassword',
	'denyDeviceRequest userCode',
	'exchangeSignInCode code',
	'findDeviceRequest userCode',
	'joinByInvitationLink token',
	'login password',
	'pollDeviceToken device_code',
	'pollDeviceToken grant_type',
	'reauthenticate password',
	'refreshMemberToken refresh_token',
	'replayErasures cursor',
	'requestEmailChange currentPassword',
	'retryAssetErrors after',
	'revokeMemberAccessToken access_token',
	'revokeMemberRefreshToken refresh_token',
	'searchMembersByBody search_text',
	'sendPlayerEvents events.*.token',
	'sendPlayerEvents viewerToken',
	'signup invitationToken',
	'signup password',
	'verifySignupCode invitationToken',
	'verifySecondFactor ticket',
	'verifySecondFactor recoveryCode',
]
/**
 * Parsed after the contract check; that parser rejects control characters: a host, a URL, scopes, a typed profile value. Only the
 * host of a referrer is used.
 */
const parsedFields = [
	'createCommunity customDomain',
	'createAsset sourceUrl',
	'importSource sourceUrl',
	'sendPlayerEvents events.*.referrer',
	'startDeviceRequest scope',
	'updateCommunity customDomain',
	'updateOrg webhookUrl',
	...[
		'addCommunityMember profileFields',
		'addCommunityMembers members.*.profileFields',
		'createMemberToken create.profile_fields',
		'updateProfile profile_fields',
	].flatMap((field) => ['(key)', '*', '*.*'].map((part) => `${field}.${part}`)),
]
/** Output of programs on a machine. `foreign-text.unit.test.ts` tests these, and they are escaped where they are shown. */
const machineFields = [
	'completeTask result.info.audio.*.title',
	'completeTask result.notes.*',
	// The edge makes one line of what an engine wrote.
	'completeTask result.segments.*.text',
	'completeTask result.segments.*.words.*.word',
	'failTask detail',
	'failTask message',
	'registerMachine startHook',
]

test('one-line texts in request bodies reject line breaks and other control characters', () => {
	const texts = controlCharacters.flatMap((each) => samples.map((sample) => sample.replace('#', each)))
	const keepsControlCharacter = (schema: z.ZodType) =>
		texts.some((text) => /[\p{Cc}\p{Zl}\p{Zp}]/u.test(String(schema.safeParse(text).data ?? '')))
	const found = textFields.filter(({ schema }) => keepsControlCharacter(schema)).map(({ field }) => field)
	expect([...new Set(found)].toSorted()).toEqual(
		[...multilineFields, ...secretsAndCursors, ...parsedFields, ...machineFields].toSorted(),
	)
})

test('times in request bodies must be within the years that iCalendar can express', () => {
	const fieldsAccepting = (text: string) =>
		textFields.filter(({ schema }) => schema.safeParse(text).success).map(({ field }) => field)
	const freeTexts = fieldsAccepting('no-instant')
	const instants = fieldsAccepting('2038-01-01T00:00:00+01:00').filter((field) => !freeTexts.includes(field))
	expect(instants).toEqual(expect.arrayContaining(['createEvent starts_at', 'updateEvent ends_at']))
	for (const text of ['9999-12-31T23:59:59-14:00', '0001-01-01T00:00:00+14:00', '0000-06-01T00:00:00Z'])
		expect(fieldsAccepting(text).filter((field) => instants.includes(field))).toEqual([])
})
