import type { Feature } from '../../http/feature.ts'
import { deviceFlowPersonalData } from './personal-data.ts'
import { deviceFlowRoutes } from './routes.ts'
import { deviceRequestStore } from './store.ts'

export const deviceFlowFeature = {
	routes: deviceFlowRoutes,
	prune: ({ db, now }) => deviceRequestStore(db).prune(now),
	personalData: deviceFlowPersonalData,
} satisfies Feature
