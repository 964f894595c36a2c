import { crons, type Feature } from '../../http/feature.ts'
import { billingPersonalData } from './personal-data.ts'
import { pruneBilling, queueReconciles, reconcile } from './reconcile.ts'
import { billingRoutes } from './routes.ts'
import { syncOrg } from './sync.ts'

export const billingFeature = {
	routes: billingRoutes,
	consumers: { 'billing.reconcile': reconcile },
	followers: { 'billing.changed': (deps, { orgId }) => syncOrg(deps, orgId) },
	schedules: [{ cron: crons.eachTenMinutes, name: 'reconcile-subscriptions', run: queueReconciles }],
	prune: pruneBilling,
	personalData: billingPersonalData,
} satisfies Feature
