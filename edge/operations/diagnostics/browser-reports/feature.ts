import type { Feature } from '../../../http/feature.ts'
import { browserReportRoutes } from './routes.ts'

export const browserReportsFeature = {
	routes: browserReportRoutes,
} satisfies Feature
