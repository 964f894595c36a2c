import { crons, type Feature } from '../../../http/feature.ts'
import { keepCheckpoint } from './checkpoint.ts'
import { copyRevocations, pruneRevocations } from './revocation-log.ts'

export const rewindFeature = {
	schedules: [
		{ cron: crons.eachMinute, name: 'write-checkpoint', run: keepCheckpoint, runsDuringRepair: true },
	],
	prune: pruneRevocations,
	contributions: { copyRevocations },
} satisfies Feature
