import * as accountDeletion from './account-deletion.ts'
import * as assets from './assets.ts'
import * as audio from './audio.ts'
import * as browserReports from './browser-reports.ts'
import * as collections from './collections.ts'
import * as comments from './comments.ts'
import * as accessGroups from './community/access-groups.ts'
import * as bookmarks from './community/bookmarks.ts'
import * as calendar from './community/calendar.ts'
import * as communities from './community/communities.ts'
import * as domains from './community/domains.ts'
import * as events from './community/events.ts'
import * as followers from './community/followers.ts'
import * as images from './community/images.ts'
import * as communityInvitations from './community/invitations.ts'
import * as managedProfileFields from './community/managed-profile-fields.ts'
import * as managedSpaces from './community/managed-spaces.ts'
import * as managedTopics from './community/managed-topics.ts'
import * as members from './community/members.ts'
import * as memberships from './community/memberships.ts'
import * as moderation from './community/moderation.ts'
import * as notifications from './community/notifications.ts'
import * as points from './community/points.ts'
import * as postComments from './community/post-comments.ts'
import * as postReactions from './community/post-reactions.ts'
import * as posts from './community/posts.ts'
import * as spaces from './community/spaces.ts'
import * as memberTokens from './community/tokens.ts'
import * as diagnostics from './diagnostics.ts'
import * as downloads from './downloads.ts'
import * as fleet from './fleet.ts'
import * as health from './health.ts'
import * as identity from './identity.ts'
import * as leases from './leases.ts'
import * as mail from './mail.ts'
import type { Operation } from './operation.ts'
import * as orgs from './orgs.ts'
import * as playback from './playback.ts'
import * as reactions from './reactions.ts'
import * as resumableUploads from './resumable-uploads.ts'
import * as secretRotation from './secret-rotation.ts'
import * as settings from './settings.ts'
import * as stats from './stats.ts'
import * as transcoding from './transcoding.ts'
import * as uploads from './uploads.ts'

const isOperation = (value: unknown): value is Operation =>
	typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'auth' in value

const methods: readonly Operation['method'][] = ['options', 'get', 'head', 'post', 'put', 'patch', 'delete']
const placeOf = (op: Operation) => `${op.path} ${methods.indexOf(op.method)}`

/** A module hands its exports out by name; readers look for neighbours by path. */
const operationsOf = (feature: Record<string, unknown>): Operation[] =>
	Object.values(feature)
		.filter(isOperation)
		.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))

/** Every operation there is, feature by feature. A test holds this list and the served routes against each other. */
export const allOperations: readonly Operation[] = [
	...operationsOf(health),
	...operationsOf(browserReports),
	...operationsOf(identity),
	...operationsOf(orgs),
	...operationsOf(mail),
	...operationsOf(settings),
	...operationsOf(assets),
	...operationsOf(audio),
	...operationsOf(uploads),
	...operationsOf(transcoding),
	...operationsOf(resumableUploads),
	...operationsOf(collections),
	...operationsOf(playback),
	...operationsOf(downloads),
	...operationsOf(comments),
	...operationsOf(reactions),
	...operationsOf(communities),
	...operationsOf(domains),
	...operationsOf(memberships),
	...operationsOf(managedSpaces),
	...operationsOf(accessGroups),
	...operationsOf(managedTopics),
	...operationsOf(managedProfileFields),
	...operationsOf(memberTokens),
	...operationsOf(spaces),
	...operationsOf(members),
	...operationsOf(posts),
	...operationsOf(images),
	...operationsOf(postComments),
	...operationsOf(bookmarks),
	...operationsOf(followers),
	...operationsOf(postReactions),
	...operationsOf(events),
	...operationsOf(calendar),
	...operationsOf(notifications),
	...operationsOf(moderation),
	...operationsOf(communityInvitations),
	...operationsOf(points),
	...operationsOf(diagnostics),
	...operationsOf(fleet),
	...operationsOf(leases),
	...operationsOf(stats),
	...operationsOf(accountDeletion),
	...operationsOf(secretRotation),
]
