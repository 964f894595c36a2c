import { crons, type Feature } from '../../http/feature.ts'
import { libraryRoutes } from './library/routes.ts'
import { assetsPersonalData } from './personal-data.ts'
import { assetRoutes } from './routes.ts'
import { logVideoEvent } from './state-log.ts'
import { dueTrash } from './trash/store.ts'
import { emptyTrash } from './trash/trash.ts'

export const assetsFeature = {
	routes: [...libraryRoutes, ...assetRoutes],
	followers: {
		'asset.uploaded': logVideoEvent,
		'asset.processing': logVideoEvent,
		'asset.deleted': logVideoEvent,
	},
	schedules: [
		{
			cron: crons.eachTenMinutes,
			name: 'empty-trash',
			due: [dueTrash],
			run: emptyTrash,
		},
	],
	personalData: assetsPersonalData,
} satisfies Feature
