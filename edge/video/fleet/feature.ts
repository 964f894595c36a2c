import type { Feature } from '../../http/feature.ts'
import { authenticateMachine } from './authenticate.ts'
import { pruneMachines } from './machines.ts'
import { fleetMetrics } from './metrics.ts'
import { fleetPersonalData } from './personal-data.ts'
import { fleetRoutes } from './routes.ts'
import { wakeFleet } from './wake.ts'

export const fleetFeature = {
	routes: fleetRoutes,
	authenticators: { machine: authenticateMachine },
	followers: { 'asset.processing': wakeFleet },
	prune: pruneMachines,
	personalData: fleetPersonalData,
	metrics: fleetMetrics,
} satisfies Feature
