import { crons, type Feature } from '../http/feature.ts'
import { sweepByQueue } from '../platform/work/sweep.ts'
import { authenticateMember } from './access/authenticate.ts'
import { pruneGrants } from './access/prune.ts'
import { removeCommunityRows } from './communities/removal.ts'
import { removalSweep } from './communities/removal-store.ts'
import { repairCounters } from './counters/repair.ts'
import { checkDueDomains } from './domains/domains.ts'
import { dueDomains } from './domains/store.ts'
import { mailCommunityInvitation } from './invitations/invitations.ts'
import { accountCommunities } from './members/account-communities.ts'
import { endDepartedMembership, endRemovedMembership } from './members/ending.ts'
import { closeSuspendedStreams } from './notifications/notification-streams.ts'
import { notifyMembers, pruneNotifications } from './notifications/notify.ts'
import { notificationSweeps } from './notifications/notify-store.ts'
import { findListing } from './origins/origins.ts'
import { communityPersonalData } from './personal-data/personal-data.ts'
import { communityRoutes } from './routes.ts'
import { indexContent } from './search/index-content.ts'
import { indexSweeps } from './search/index-store.ts'

export const communityFeature = {
	routes: communityRoutes,
	contributions: { communities: accountCommunities, findListing },
	authenticators: { member: authenticateMember },
	consumers: {
		'community.remove': removeCommunityRows,
		'community.notify': notifyMembers,
		'community.index': indexContent,
	},
	followers: {
		'member.invited': mailCommunityInvitation,
		'member.left': endDepartedMembership,
		'member.deleted': endRemovedMembership,
		'org.suspended': closeSuspendedStreams,
	},
	schedules: [
		{ cron: crons.eachMinute, name: 'notify-members', ...sweepByQueue(notificationSweeps) },
		{ cron: crons.eachMinute, name: 'index-communities', ...sweepByQueue(indexSweeps) },
		{ cron: crons.eachMinute, name: 'verify-domains', due: [dueDomains], run: checkDueDomains },
		{ cron: crons.eachTenMinutes, name: 'remove-communities', ...sweepByQueue([removalSweep]) },
		{ cron: crons.eachTenMinutes, name: 'repair-counters', run: repairCounters },
	],
	async prune(deps) {
		await pruneGrants(deps)
		await pruneNotifications(deps)
	},
	personalData: communityPersonalData,
} satisfies Feature
