import { crons, type Feature } from '../../http/feature.ts'
import { idempotencyStore } from '../../platform/database/idempotency-store.ts'
import { pruneDeadLetters } from '../../platform/outbox/dead-letters.ts'
import { pruneEvents } from '../../platform/outbox/outbox.ts'
import { sweepEvents } from '../../platform/outbox/sweep.ts'
import { purgeSweep } from '../../platform/storage/storage-purge.ts'
import { sweepByQueue } from '../../platform/work/sweep.ts'
import { backgroundMetrics } from './metrics.ts'
import { backgroundPersonalData } from './personal-data.ts'

export const backgroundFeature = {
	schedules: [
		{ cron: crons.eachMinute, name: 'relay-events', run: sweepEvents },
		{ cron: crons.eachMinute, name: 'purge-storage', ...sweepByQueue([purgeSweep]) },
	],
	async prune({ db, now }) {
		await idempotencyStore(db).prune(now)
		await pruneEvents(db, now)
		await pruneDeadLetters(db, now)
	},
	personalData: backgroundPersonalData,
	metrics: backgroundMetrics,
} satisfies Feature
