import type { Feature } from '../../http/feature.ts'
import { libraryRoutes } from './library/routes.ts'
import { assetsPersonalData } from './personal-data.ts'
import { assetRoutes } from './routes.ts'
import { logVideoEvent } from './state-log.ts'

export const assetsFeature = {
	routes: [...libraryRoutes, ...assetRoutes],
	followers: {
		'asset.uploaded': logVideoEvent,
		'asset.processing': logVideoEvent,
		'asset.deleted': logVideoEvent,
	},
	personalData: assetsPersonalData,
} satisfies Feature
