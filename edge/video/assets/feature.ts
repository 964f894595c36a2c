import type { Feature } from '../../http/feature.ts'
import { assetsPersonalData } from './personal-data.ts'
import { assetRoutes } from './routes.ts'
import { logVideoEvent } from './state-log.ts'

export const assetsFeature = {
	routes: assetRoutes,
	followers: {
		'asset.uploaded': logVideoEvent,
		'asset.processing': logVideoEvent,
		'asset.deleted': logVideoEvent,
	},
	personalData: assetsPersonalData,
} satisfies Feature
