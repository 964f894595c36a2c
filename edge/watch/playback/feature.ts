import type { Feature } from '../../http/feature.ts'
import { downloadRoutes } from './download-routes.ts'
import { answerMedia, MEDIA_PATH } from './media.ts'
import { playbackPersonalData } from './personal-data.ts'
import { deleteViewerRowsStatements } from './removal-store.ts'
import { playbackRoutes } from './routes.ts'
import { viewerRoutes } from './viewer-routes.ts'

export const playbackFeature = {
	routes: [...playbackRoutes, ...downloadRoutes, ...viewerRoutes],
	mount(app) {
		app.all(MEDIA_PATH, (c) => answerMedia(c.req.raw, c.get('deps')))
	},
	personalData: playbackPersonalData,
	deleteOfAssetStatements: deleteViewerRowsStatements,
} satisfies Feature
