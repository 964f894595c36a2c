import type { Route } from '../http/route.ts'
import { memberTokenRoutes } from './access/token-routes.ts'
import { accessGroupRoutes } from './access-groups/manage-routes.ts'
import { avatarRoutes } from './avatars/member-routes.ts'
import { bookmarkRoutes } from './bookmarks/member-routes.ts'
import { calendarRoutes } from './calendar/member-routes.ts'
import { combinedSearchRoutes } from './combined-search/member-routes.ts'
import { commentRoutes } from './comments/member-routes.ts'
import { communityManagementRoutes } from './communities/manage-routes.ts'
import { domainRoutes } from './domains/manage-routes.ts'
import { eventRoutes } from './events/member-routes.ts'
import { followerRoutes } from './followers/member-routes.ts'
import { identityProviderRoutes } from './identity-providers/manage-routes.ts'
import { imageRoutes } from './images/member-routes.ts'
import { invitationLinkRoutes } from './invitation-links/routes.ts'
import { communityInvitationRoutes } from './invitations/routes.ts'
import { likeRoutes } from './likes/member-routes.ts'
import { managedMemberRoutes } from './managed-members/manage-routes.ts'
import { managedMembershipRoutes } from './managed-members/person-routes.ts'
import { exchangeRoutes } from './managed-members/token-routes.ts'
import { membershipRoutes } from './members/manage-routes.ts'
import { memberRoutes } from './members/member-routes.ts'
import { moderationRoutes } from './moderation/member-routes.ts'
import { notificationRoutes } from './notifications/member-routes.ts'
import { ownNotificationRoutes } from './notifications/own-routes.ts'
import { communityOriginRoutes } from './origins/manage-routes.ts'
import { pointRoutes } from './points/manage-routes.ts'
import { postRoutes } from './posts/member-routes.ts'
import { profileFieldRoutes } from './profile-fields/manage-routes.ts'
import { reactionRoutes } from './reactions/member-routes.ts'
import { memberSignInRoutes } from './sign-in/routes.ts'
import { managedSpaceRoutes } from './spaces/manage-routes.ts'
import { spaceRoutes } from './spaces/member-routes.ts'
import { streamRoutes } from './streams/member-routes.ts'
import { topicRoutes } from './topics/manage-routes.ts'

/**
 * Communities: everything that members, moderators and the managing organization do. Each resource has its own folder:
 * `member-routes.ts` serves the headless API, `manage-routes.ts` the API of the organization, and the stores hold all SQL.
 * Every query that shows content to a member must use `visibleSpaces` (access/visible-spaces.ts). Counters change in the
 * batch of the rows they count.
 */
export const communityRoutes: readonly Route[] = [
	...communityManagementRoutes,
	...domainRoutes,
	...communityOriginRoutes,
	...managedMemberRoutes,
	...managedMembershipRoutes,
	...membershipRoutes,
	...managedSpaceRoutes,
	...accessGroupRoutes,
	...topicRoutes,
	...profileFieldRoutes,
	...exchangeRoutes,
	...memberTokenRoutes,
	...spaceRoutes,
	...memberRoutes,
	...avatarRoutes,
	...postRoutes,
	...combinedSearchRoutes,
	...imageRoutes,
	...commentRoutes,
	...bookmarkRoutes,
	...followerRoutes,
	...reactionRoutes,
	...likeRoutes,
	...eventRoutes,
	...calendarRoutes,
	...notificationRoutes,
	...ownNotificationRoutes,
	...streamRoutes,
	...moderationRoutes,
	...communityInvitationRoutes,
	...invitationLinkRoutes,
	...identityProviderRoutes,
	...memberSignInRoutes,
	...pointRoutes,
]
