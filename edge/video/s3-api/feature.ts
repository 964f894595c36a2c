import type { Feature } from '../../http/feature.ts'
import { answerS3, S3_API_PATH } from './s3-api.ts'

export const s3ApiFeature = {
	mount(app) {
		app.all(S3_API_PATH, (c) => answerS3(c.req.raw, c.get('deps')))
	},
} satisfies Feature
