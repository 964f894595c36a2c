import { allowedOrigins } from '#schema/tables/accounts/allowed-origins.ts'
import type { Feature } from '../../http/feature.ts'
import { allowedOriginRoutes } from './routes.ts'

export const allowedOriginsFeature = {
	routes: allowedOriginRoutes,
	personalData: { orgKeys: [allowedOrigins.orgId] },
} satisfies Feature
