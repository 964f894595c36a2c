import { directUploads } from '#schema/tables/video/direct-uploads.ts'
import { crons, type Feature } from '../../http/feature.ts'
import { endExpiredUploads, pruneDirectUploads } from './direct-uploads.ts'
import { finishUnfinishedUploads, unfinishedUploads } from './finish-unfinished.ts'
import { findOwnOrigin } from './own-origin.ts'
import { directUploadRoutes } from './routes.ts'

export const directUploadsFeature = {
	routes: directUploadRoutes,
	schedules: [
		{
			cron: crons.eachTenMinutes,
			name: 'finish-direct-uploads',
			due: [unfinishedUploads],
			run: finishUnfinishedUploads,
		},
		{ cron: crons.eachTenMinutes, name: 'end-direct-uploads', run: endExpiredUploads },
	],
	prune: pruneDirectUploads,
	contributions: { findOwnOrigin },
	personalData: { orgKeys: [directUploads.orgId] },
} satisfies Feature
