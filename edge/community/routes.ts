import type { Route } from '../http/route.ts'
import { memberTokenRoutes } from './access/routes.ts'
import { bookmarkRoutes } from './bookmarks/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { followerRoutes } from './followers/routes.ts'
import { memberRoutes } from './members/routes.ts'
import { reactionRoutes } from './reactions/routes.ts'
import { spaceRoutes } from './spaces/routes.ts'

export const communityRoutes: readonly Route[] = [
	...memberTokenRoutes,
	...spaceRoutes,
	...memberRoutes,
	...bookmarkRoutes,
	...followerRoutes,
	...reactionRoutes,
	...eventRoutes,
]
