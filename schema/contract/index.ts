import * as accessGroups from './community/manage/access-groups.ts'
import * as communities from './community/manage/communities.ts'
import * as domains from './community/manage/domains.ts'
import * as communityInvitations from './community/manage/invitations.ts'
import * as memberships from './community/manage/memberships.ts'
import * as points from './community/manage/points.ts'
import * as managedProfileFields from './community/manage/profile-fields.ts'
import * as managedSpaces from './community/manage/spaces.ts'
import * as managedTopics from './community/manage/topics.ts'
import * as avatars from './community/member/avatars.ts'
import * as bookmarks from './community/member/bookmarks.ts'
import * as calendar from './community/member/calendar.ts'
import * as events from './community/member/events.ts'
import * as followers from './community/member/followers.ts'
import * as images from './community/member/images.ts'
import * as members from './community/member/members.ts'
import * as moderation from './community/member/moderation.ts'
import * as notifications from './community/member/notifications.ts'
import * as postComments from './community/member/post-comments.ts'
import * as postReactions from './community/member/post-reactions.ts'
import * as posts from './community/member/posts.ts'
import * as spaces from './community/member/spaces.ts'
import * as memberTokens from './community/member/tokens.ts'
import type { Operation } from './kit/operation.ts'
import * as accountDeletion from './platform/account-deletion.ts'
import * as passkeys from './platform/accounts/passkeys.ts'
import * as secondFactor from './platform/accounts/second-factor.ts'
import * as assetErrors from './platform/admin/asset-errors.ts'
import * as deadLetters from './platform/admin/dead-letters.ts'
import * as impersonation from './platform/admin/impersonation.ts'
import * as adminOrgs from './platform/admin/orgs.ts'
import * as suspension from './platform/admin/suspension.ts'
import * as adminUsers from './platform/admin/users.ts'
import * as webhookFailures from './platform/admin/webhook-failures.ts'
import * as aiCallback from './platform/ai-callback.ts'
import * as apiKeys from './platform/api-keys.ts'
import * as auditLog from './platform/audit/audit-log.ts'
import * as billing from './platform/billing.ts'
import * as browserReports from './platform/browser-reports.ts'
import * as deviceFlow from './platform/device-flow.ts'
import * as diagnostics from './platform/diagnostics.ts'
import * as emailAddresses from './platform/email-addresses.ts'
import * as health from './platform/health.ts'
import * as identity from './platform/identity.ts'
import * as backups from './platform/installation/backups.ts'
import * as metrics from './platform/installation/metrics.ts'
import * as mail from './platform/mail.ts'
import * as orgMembers from './platform/org-members.ts'
import * as orgs from './platform/orgs.ts'
import * as secretRotation from './platform/secret-rotation.ts'
import * as sessions from './platform/sessions.ts'
import * as aiSettings from './platform/settings/ai.ts'
import * as logo from './platform/settings/logo.ts'
import * as publicSettings from './platform/settings/public-settings.ts'
import * as securitySettings from './platform/settings/security.ts'
import * as settings from './platform/settings/settings.ts'
import * as stats from './platform/stats.ts'
import * as webhookDeliveries from './platform/webhooks/deliveries.ts'
import * as webhookEndpoints from './platform/webhooks/endpoints.ts'
import * as chapters from './video/ai/chapters.ts'
import * as highlights from './video/ai/highlights.ts'
import * as assetAnalytics from './video/analytics/asset-analytics.ts'
import * as liveViewers from './video/analytics/live-viewers.ts'
import * as analyticsOverview from './video/analytics/overview.ts'
import * as playbackSessions from './video/analytics/playback-sessions.ts'
import * as playerEvents from './video/analytics/player-events.ts'
import * as assets from './video/assets.ts'
import * as audio from './video/audio.ts'
import * as collections from './video/collections.ts'
import * as comments from './video/comments.ts'
import * as downloads from './video/downloads.ts'
import * as fleet from './video/fleet.ts'
import * as leases from './video/leases.ts'
import * as oembed from './video/oembed.ts'
import * as playback from './video/playback.ts'
import * as timeline from './video/processing/timeline.ts'
import * as reactions from './video/reactions.ts'
import * as resumableUploads from './video/resumable-uploads.ts'
import * as subtitles from './video/subtitles/subtitles.ts'
import * as transcoding from './video/transcoding.ts'
import * as transcripts from './video/transcripts.ts'
import * as uploads from './video/uploads.ts'

const isOperation = (value: unknown): value is Operation =>
	typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'auth' in value

const methods: readonly Operation['method'][] = ['options', 'get', 'head', 'post', 'put', 'patch', 'delete']
const sortKey = (op: Operation) => `${op.path} ${methods.indexOf(op.method)}`

/** Sorts by path, so that related operations are adjacent in the document. Exports of a module would be sorted by name. */
const operationsOf = (feature: Record<string, unknown>): Operation[] =>
	Object.values(feature)
		.filter(isOperation)
		.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))

/** Every operation, grouped by feature. A test compares this list with the served routes. */
export const allOperations: readonly Operation[] = [
	...operationsOf(health),
	...operationsOf(browserReports),
	...operationsOf(identity),
	...operationsOf(secondFactor),
	...operationsOf(passkeys),
	...operationsOf(emailAddresses),
	...operationsOf(sessions),
	...operationsOf(deviceFlow),
	...operationsOf(orgs),
	...operationsOf(orgMembers),
	...operationsOf(apiKeys),
	...operationsOf(billing),
	...operationsOf(auditLog),
	...operationsOf(webhookEndpoints),
	...operationsOf(webhookDeliveries),
	...operationsOf(mail),
	...operationsOf(settings),
	...operationsOf(securitySettings),
	...operationsOf(logo),
	...operationsOf(publicSettings),
	...operationsOf(aiSettings),
	...operationsOf(assets),
	...operationsOf(audio),
	...operationsOf(uploads),
	...operationsOf(transcoding),
	...operationsOf(timeline),
	...operationsOf(subtitles),
	...operationsOf(transcripts),
	...operationsOf(chapters),
	...operationsOf(highlights),
	...operationsOf(aiCallback),
	...operationsOf(playerEvents),
	...operationsOf(playbackSessions),
	...operationsOf(liveViewers),
	...operationsOf(assetAnalytics),
	...operationsOf(analyticsOverview),
	...operationsOf(resumableUploads),
	...operationsOf(collections),
	...operationsOf(playback),
	...operationsOf(oembed),
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
	...operationsOf(avatars),
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
	...operationsOf(metrics),
	...operationsOf(accountDeletion),
	...operationsOf(suspension),
	...operationsOf(impersonation),
	...operationsOf(secretRotation),
	...operationsOf(backups),
	...operationsOf(adminUsers),
	...operationsOf(adminOrgs),
	...operationsOf(assetErrors),
	...operationsOf(webhookFailures),
	...operationsOf(deadLetters),
]
