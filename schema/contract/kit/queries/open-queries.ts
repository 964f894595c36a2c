import { isMachineOperation } from '../machine-operations.ts'

const bySpecification = 'clients of the community specification may send more than it names'
const byRfc6749 = 'RFC 6749, section 3.2: unrecognized parameters must be ignored'
const toMonitors = 'probes and load balancers add parameters of their own'
const toPages = 'pages and caches add parameters to the addresses of images'
const toCalendars = 'calendar apps and their caches add parameters to the addresses of feeds'
const toMails = 'mail clients and link trackers add parameters to links'
const toSenders = 'the sender may add parameters to the address that it calls'
const toTus = 'TUS clients may keep parameters of their own in the address'
const toMachines = 'during an upgrade, machines are newer or older than the edge'

/**
 * Why an operation ignores query parameters that the contract does not know. All others reject them: a caller who
 * misspells a filter must not believe that it had an effect.
 */
const reasonById: ReadonlyMap<string, string> = new Map(
	Object.entries({
		listCommunityLinks: bySpecification,
		listMemberSpaces: bySpecification,
		listMemberSpaceGroups: bySpecification,
		listSpaces: bySpecification,
		listTopics: bySpecification,
		listAllTopics: bySpecification,
		listMemberCards: bySpecification,
		listPageProfileFields: bySpecification,
		listProfileFields: bySpecification,
		searchMembers: bySpecification,
		listMemberPosts: bySpecification,
		listHomePosts: bySpecification,
		searchPosts: bySpecification,
		searchCommunity: bySpecification,
		listPostLikes: bySpecification,
		listCommentLikes: bySpecification,
		listSpacePosts: bySpecification,
		listReplies: bySpecification,
		listMemberComments: bySpecification,
		listPostComments: bySpecification,
		listBookmarks: bySpecification,
		listSpaceBookmarks: bySpecification,
		listPostFollowers: bySpecification,
		listCommentReactions: bySpecification,
		listPostReactions: bySpecification,
		listCommunityEvents: bySpecification,
		listAttendees: bySpecification,
		listNotifications: bySpecification,
		listFlags: bySpecification,
		listHidden: bySpecification,
		startDeviceRequest: byRfc6749,
		finishMemberSignIn: byRfc6749,
		pollDeviceToken: byRfc6749,
		healthLive: toMonitors,
		healthReady: toMonitors,
		getMetrics: toMonitors,
		getLogo: toPages,
		getThumbnail: toPages,
		getAvatar: toPages,
		readCalendarFeed: toCalendars,
		showUnsubscribePage: toMails,
		unsubscribe: toMails,
		getOEmbed: 'oEmbed, section 2.2: consumers send optional arguments, such as `dnt`, to every provider',
		sendBrowserReports: toSenders,
		receiveBillingEvent: toSenders,
		receiveAiCallback: toSenders,
		describeUploads: toTus,
		beginUpload: toTus,
		describeUpload: toTus,
		inspectUpload: toTus,
		appendUpload: toTus,
		endUpload: toTus,
	}),
)

export const openQueryIds: Iterable<string> = reasonById.keys()

/** Returns why the operation ignores unknown query parameters, or undefined if it rejects them. */
export const findOpenQuery = (op: { id: string; auth: string }): string | undefined =>
	isMachineOperation(op) ? toMachines : reasonById.get(op.id)
