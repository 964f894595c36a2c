import { cancelUnreadBody } from '../../http/body/unread-body.ts'
import type { Feature } from '../../http/feature.ts'
import { purgeAssetObjects } from './purge.ts'
import { uploadRoutes } from './routes.ts'
import { authenticateUpload } from './tus/authenticate.ts'
import { endDeletedUpload, settleUpload } from './tus/followers.ts'
import { addTusHeaders, applyMethodOverride, TUS_PATH } from './tus/protocol.ts'
import { tusRoutes } from './tus/routes.ts'

export const uploadsFeature = {
	routes: [...uploadRoutes, ...tusRoutes],
	authenticators: { upload: authenticateUpload },
	mountFirst(app) {
		app.use(`${TUS_PATH}/*`, async (c, next) => {
			const overridden = applyMethodOverride(c.req.raw)
			if (overridden) return app.fetch(overridden, c.env, c.executionCtx)
			await next()
			addTusHeaders(c.res.headers)
			await cancelUnreadBody(c.req.raw)
		})
	},
	consumers: { 'storage.purge': purgeAssetObjects },
	followers: { 'asset.uploaded': settleUpload, 'asset.deleted': endDeletedUpload },
} satisfies Feature
