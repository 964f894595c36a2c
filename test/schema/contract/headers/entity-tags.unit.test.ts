import { expect, test } from 'vitest'
import { allOperations } from '#schema/contract/index.ts'
import { takesCondition } from '#schema/contract/kit/headers/entity-tag.ts'

const listedOnly = 'only lists return the record, and a list has no entity tag'
const wholeFile = 'replaces a whole file by another one'
const ownRecord = 'only one person may change the record'
const oneValue = 'sets one value, which the request names'

/** Why an operation that updates something does not take If-Match. A new update takes it, or is added here. */
const unconditional: Readonly<Record<string, string>> = {
	updateMe: ownRecord,
	updatePreferences: ownRecord,
	updatePasskey: ownRecord,
	updateProfile: ownRecord,
	updateNotificationPreferences: ownRecord,
	updateImage: ownRecord,
	updateComment: ownRecord,
	updateMember: oneValue,
	updateCommunityMember: 'sets the role and status, which the request names',
	setMachinePrice: oneValue,
	setSupportAccess: oneValue,
	promoteUser: oneValue,
	updateOrgTier: oneValue,
	putAccessGroupMember: oneValue,
	putAccessGroupMembers: 'adds members and removes none',
	putAccessGroupSpace: oneValue,
	updateWebhookConfig: 'is the default endpoint, whose own operation takes If-Match',
	updateAiSettings: 'applies the change to the newest settings, as often as another request is faster',
	replaceAllowedOrigins: 'replaces a whole list, which the request contains',
	replaceCommunityOrigins: 'replaces a whole list, which the request contains',
	setLogo: wholeFile,
	setThumbnail: wholeFile,
	setAvatar: wholeFile,
	setSubtitles: wholeFile,
	uploadSource: 'stores a source only where none is',
	uploadDirectly: 'stores a source only where none is',
	appendUpload: 'takes the offset of the upload as its condition',
	refreshMemberToken: 'updates no record',
	updateAudioConfig: 'no operation returns the audio options alone',
	updateHighlight: listedOnly,
	updateSavedView: listedOnly,
	updateIdentityProvider: listedOnly,
	updateSpaceGroup: listedOnly,
	updateCommunityTopic: listedOnly,
	updateProfileField: listedOnly,
}

const updates = allOperations.filter(({ method }) => method === 'patch' || method === 'put')

test('every PATCH and PUT takes If-Match, or is listed with the reason why it does not', () => {
	const without = updates.filter((op) => !takesCondition(op)).map(({ id }) => id)
	expect(without.toSorted()).toEqual(Object.keys(unconditional).toSorted())
})

test('every operation that takes If-Match has a GET with the same path that returns the entity tag', () => {
	const paths = updates.filter(takesCondition).map(({ path }) => path)
	const reads = allOperations.filter(
		({ method, answerHeaders }) => method === 'get' && answerHeaders && 'ETag' in answerHeaders.shape,
	)
	expect(reads.map(({ path }) => path).toSorted()).toEqual(paths.toSorted())
})
