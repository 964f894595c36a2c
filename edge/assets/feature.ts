import type { Feature } from '../http/feature.ts'
import { assetRoutes } from './routes.ts'
import { logVideoEvent } from './state-log.ts'

export const assetsFeature = {
	routes: assetRoutes,
	followers: {
		'asset.uploaded': logVideoEvent,
		'asset.queued': logVideoEvent,
		'asset.deleted': logVideoEvent,
	},
} satisfies Feature
