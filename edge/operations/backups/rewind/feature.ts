import { crons, type Feature } from '../../../http/feature.ts'
import { advanceCheckpoint } from './checkpoint.ts'
import { copyRevocations, pruneRevocations } from './revocation-log.ts'

export const rewindFeature = {
	schedules: [
		{ cron: crons.eachMinute, name: 'write-checkpoint', run: advanceCheckpoint, runsDuringRepair: true },
	],
	prune: pruneRevocations,
	contributions: { copyRevocations },
} satisfies Feature
