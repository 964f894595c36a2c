import type { Route } from '../http/route.ts'
import { memberTokenRoutes } from './access/routes.ts'
import { accessGroupRoutes } from './access-groups/routes.ts'
import { bookmarkRoutes } from './bookmarks/routes.ts'
import { calendarRoutes } from './calendar/routes.ts'
import { commentRoutes } from './comments/routes.ts'
import { communityManagementRoutes } from './communities/routes.ts'
import { domainRoutes } from './domains/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { followerRoutes } from './followers/routes.ts'
import { imageRoutes } from './images/routes.ts'
import { communityInvitationRoutes } from './invitations/routes.ts'
import { managedSpaceRoutes } from './managed-spaces/routes.ts'
import { memberRoutes } from './members/routes.ts'
import { membershipRoutes } from './memberships/routes.ts'
import { moderationRoutes } from './moderation/routes.ts'
import { notificationRoutes } from './notifications/routes.ts'
import { pointRoutes } from './points/routes.ts'
import { postRoutes } from './posts/routes.ts'
import { profileFieldRoutes } from './profile-fields/routes.ts'
import { reactionRoutes } from './reactions/routes.ts'
import { spaceRoutes } from './spaces/routes.ts'
import { topicRoutes } from './topics/routes.ts'

export const communityRoutes: readonly Route[] = [
	...communityManagementRoutes,
	...domainRoutes,
	...membershipRoutes,
	...managedSpaceRoutes,
	...accessGroupRoutes,
	...topicRoutes,
	...profileFieldRoutes,
	...memberTokenRoutes,
	...spaceRoutes,
	...memberRoutes,
	...postRoutes,
	...imageRoutes,
	...commentRoutes,
	...bookmarkRoutes,
	...followerRoutes,
	...reactionRoutes,
	...eventRoutes,
	...calendarRoutes,
	...notificationRoutes,
	...moderationRoutes,
	...communityInvitationRoutes,
	...pointRoutes,
]
