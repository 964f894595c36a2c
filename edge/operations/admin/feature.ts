import { crons, type Feature } from '../../http/feature.ts'
import { pruneErrorGroups } from './asset-errors/retry.ts'
import { assetErrorRoutes } from './asset-errors/routes.ts'
import { sendUnsentRetries } from './dead-letters/dead-letters.ts'
import { deadLetterRoutes } from './dead-letters/routes.ts'
import { adminOrgRoutes } from './orgs/routes.ts'
import { adminUserRoutes } from './users/routes.ts'
import { webhookFailureRoutes } from './webhook-failures/routes.ts'

export const adminFeature = {
	routes: [
		...adminUserRoutes,
		...adminOrgRoutes,
		...assetErrorRoutes,
		...webhookFailureRoutes,
		...deadLetterRoutes,
	],
	schedules: [{ cron: crons.eachTenMinutes, name: 'resend-dead-letters', run: sendUnsentRetries }],
	prune: pruneErrorGroups,
} satisfies Feature
