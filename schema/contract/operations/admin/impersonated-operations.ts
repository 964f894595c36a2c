/** What a superadmin who acts as a member may read. Nothing about other people, and no secret. */
const readable: ReadonlySet<string> = new Set([
	'getMe',
	'logout',
	'getOrg',
	'getOrgUsage',
	'getSettings',
	'getEncodingSettings',
	'listAssets',
	'searchAssets',
	'getAsset',
	'getAssetTimeline',
	'getAssetPlayback',
	'streamAssetProgress',
	'listSubtitles',
	'getTranscript',
	'getChapters',
	'listAssetComments',
	'listCollections',
	'getAnalyticsOverview',
	'getAssetAnalytics',
	'getPlaybackSession',
	'getLiveCount',
	'streamLiveCount',
	'getPlayback',
	'listHighlights',
	'listCommunities',
	'getCommunity',
	'getCommunityDomain',
	'listManagedSpaces',
	'getManagedSpace',
	'listSpaceGroups',
	'listCommunityTopics',
	'listManagedProfileFields',
	'listWebhookEvents',
])

/** What needs `write` as well: changes of content and encoding, but not of who may see what, and no deletion. */
const writable: ReadonlySet<string> = new Set([
	'updateEncodingSettings',
	'setThumbnail',
	'resetThumbnail',
	'updateAudioConfig',
	'processAsset',
	'runAiSteps',
	'setSubtitles',
	'replaceTranscript',
	'replaceChapters',
	'updateHighlight',
	'createCollection',
	'updateCollection',
	'checkCommunityDomain',
	'createSpaceGroup',
	'updateSpaceGroup',
	'createCommunityTopic',
	'updateCommunityTopic',
	'createProfileField',
	'updateProfileField',
	'retryWebhookEvent',
	'recoverWebhookEvents',
])

/** What a token of an impersonation must allow for the operation. An operation that is listed nowhere is closed. */
export function requiredOfImpersonation(operationId: string): 'read' | 'write' | 'closed' {
	if (readable.has(operationId)) return 'read'
	return writable.has(operationId) ? 'write' : 'closed'
}
