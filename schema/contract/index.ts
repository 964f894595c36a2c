import * as allowedOrigins from './accounts/allowed-origins.ts'
import * as apiKeys from './accounts/api-keys.ts'
import * as auditLog from './accounts/audit/audit-log.ts'
import * as billing from './accounts/billing.ts'
import * as deviceFlow from './accounts/device-flow.ts'
import * as emailAddresses from './accounts/email-addresses.ts'
import * as identity from './accounts/identity.ts'
import * as mail from './accounts/mail.ts'
import * as orgMembers from './accounts/org-members.ts'
import * as orgs from './accounts/orgs.ts'
import * as preferences from './accounts/preferences.ts'
import * as securitySettings from './accounts/security.ts'
import * as sessions from './accounts/sessions.ts'
import * as passkeys from './accounts/sign-in/passkeys.ts'
import * as secondFactor from './accounts/sign-in/second-factor.ts'
import * as suspension from './accounts/suspension.ts'
import * as webhookDeliveries from './accounts/webhooks/deliveries.ts'
import * as webhookEndpoints from './accounts/webhooks/endpoints.ts'
import * as eventStream from './accounts/webhooks/event-stream.ts'
import * as whoami from './accounts/whoami.ts'
import * as aiCallback from './ai/callback.ts'
import * as chapters from './ai/chapters.ts'
import * as highlights from './ai/highlights.ts'
import * as aiSettings from './ai/settings.ts'
import * as subtitles from './ai/subtitles/subtitles.ts'
import * as transcripts from './ai/transcripts.ts'
import * as accessGroups from './community/manage/access-groups.ts'
import * as communities from './community/manage/communities.ts'
import * as domains from './community/manage/domains.ts'
import * as identityProviders from './community/manage/identity-providers.ts'
import * as invitationLinks from './community/manage/invitation-links.ts'
import * as communityInvitations from './community/manage/invitations.ts'
import * as managedMembers from './community/manage/managed-members.ts'
import * as managedMemberships from './community/manage/managed-memberships.ts'
import * as memberships from './community/manage/memberships.ts'
import * as communityOrigins from './community/manage/origins.ts'
import * as points from './community/manage/points.ts'
import * as managedProfileFields from './community/manage/profile-fields.ts'
import * as managedSpaces from './community/manage/spaces.ts'
import * as managedTopics from './community/manage/topics.ts'
import * as avatars from './community/member/avatars.ts'
import * as bookmarks from './community/member/bookmarks.ts'
import * as calendar from './community/member/calendar.ts'
import * as combinedSearch from './community/member/combined-search.ts'
import * as events from './community/member/events.ts'
import * as followers from './community/member/followers.ts'
import * as images from './community/member/images.ts'
import * as likes from './community/member/likes.ts'
import * as members from './community/member/members.ts'
import * as moderation from './community/member/moderation.ts'
import * as notifications from './community/member/notifications.ts'
import * as ownNotifications from './community/member/own-notifications.ts'
import * as postComments from './community/member/post-comments.ts'
import * as postReactions from './community/member/post-reactions.ts'
import * as posts from './community/member/posts.ts'
import * as memberSignIn from './community/member/sign-in.ts'
import * as spaces from './community/member/spaces.ts'
import * as communityStreams from './community/member/streams.ts'
import * as memberTokens from './community/member/tokens.ts'
import type { Operation } from './kit/operation.ts'
import * as accountDeletion from './operations/account-deletion.ts'
import * as assetErrors from './operations/admin/asset-errors.ts'
import * as deadLetters from './operations/admin/dead-letters.ts'
import * as impersonation from './operations/admin/impersonation.ts'
import * as adminOrgs from './operations/admin/orgs.ts'
import * as adminUsers from './operations/admin/users.ts'
import * as webhookFailures from './operations/admin/webhook-failures.ts'
import * as browserReports from './operations/browser-reports.ts'
import * as diagnostics from './operations/diagnostics.ts'
import * as health from './operations/health.ts'
import * as backups from './operations/installation/backups.ts'
import * as metrics from './operations/installation/metrics.ts'
import * as managedPeople from './operations/managed-people.ts'
import * as secretRotation from './operations/secret-rotation.ts'
import * as stats from './operations/stats.ts'
import * as assets from './video/assets.ts'
import * as audio from './video/audio.ts'
import * as bulk from './video/bulk.ts'
import * as collections from './video/collections.ts'
import * as directUploads from './video/direct-uploads.ts'
import * as downloads from './video/downloads.ts'
import * as fleet from './video/fleet.ts'
import * as leases from './video/leases.ts'
import * as jobs from './video/processing/jobs.ts'
import * as thumbnailFrame from './video/processing/thumbnail-frame.ts'
import * as timeline from './video/processing/timeline.ts'
import * as resumableUploads from './video/resumable-uploads.ts'
import * as savedViews from './video/saved-views.ts'
import * as transcoding from './video/transcoding.ts'
import * as uploads from './video/uploads.ts'
import * as assetAnalytics from './watch/analytics/asset-analytics.ts'
import * as liveViewers from './watch/analytics/live-viewers.ts'
import * as analyticsOverview from './watch/analytics/overview.ts'
import * as playbackSessions from './watch/analytics/playback-sessions.ts'
import * as playerEvents from './watch/analytics/player-events.ts'
import * as comments from './watch/comments.ts'
import * as oembed from './watch/oembed.ts'
import * as playback from './watch/playback.ts'
import * as reactions from './watch/reactions.ts'
import * as logo from './watch/settings/logo.ts'
import * as publicCommunity from './watch/settings/public-community.ts'
import * as publicSettings from './watch/settings/public-settings.ts'
import * as settings from './watch/settings/settings.ts'

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
	...operationsOf(preferences),
	...operationsOf(secondFactor),
	...operationsOf(passkeys),
	...operationsOf(emailAddresses),
	...operationsOf(sessions),
	...operationsOf(whoami),
	...operationsOf(deviceFlow),
	...operationsOf(orgs),
	...operationsOf(orgMembers),
	...operationsOf(apiKeys),
	...operationsOf(billing),
	...operationsOf(auditLog),
	...operationsOf(webhookEndpoints),
	...operationsOf(webhookDeliveries),
	...operationsOf(eventStream),
	...operationsOf(mail),
	...operationsOf(settings),
	...operationsOf(allowedOrigins),
	...operationsOf(securitySettings),
	...operationsOf(logo),
	...operationsOf(publicSettings),
	...operationsOf(publicCommunity),
	...operationsOf(aiSettings),
	...operationsOf(assets),
	...operationsOf(audio),
	...operationsOf(uploads),
	...operationsOf(directUploads),
	...operationsOf(transcoding),
	...operationsOf(bulk),
	...operationsOf(jobs),
	...operationsOf(thumbnailFrame),
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
	...operationsOf(savedViews),
	...operationsOf(playback),
	...operationsOf(oembed),
	...operationsOf(downloads),
	...operationsOf(comments),
	...operationsOf(reactions),
	...operationsOf(communities),
	...operationsOf(domains),
	...operationsOf(communityOrigins),
	...operationsOf(invitationLinks),
	...operationsOf(identityProviders),
	...operationsOf(managedMembers),
	...operationsOf(managedMemberships),
	...operationsOf(memberships),
	...operationsOf(managedSpaces),
	...operationsOf(accessGroups),
	...operationsOf(managedTopics),
	...operationsOf(managedProfileFields),
	...operationsOf(memberTokens),
	...operationsOf(memberSignIn),
	...operationsOf(spaces),
	...operationsOf(members),
	...operationsOf(avatars),
	...operationsOf(posts),
	...operationsOf(combinedSearch),
	...operationsOf(images),
	...operationsOf(postComments),
	...operationsOf(bookmarks),
	...operationsOf(followers),
	...operationsOf(postReactions),
	...operationsOf(likes),
	...operationsOf(events),
	...operationsOf(calendar),
	...operationsOf(notifications),
	...operationsOf(ownNotifications),
	...operationsOf(communityStreams),
	...operationsOf(moderation),
	...operationsOf(communityInvitations),
	...operationsOf(points),
	...operationsOf(diagnostics),
	...operationsOf(fleet),
	...operationsOf(leases),
	...operationsOf(stats),
	...operationsOf(metrics),
	...operationsOf(accountDeletion),
	...operationsOf(managedPeople),
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
