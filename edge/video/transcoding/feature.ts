import { crons, type Feature } from '../../http/feature.ts'
import { assetProcessing } from './asset-processing.ts'
import { advanceJob, failStuckJob } from './jobs/advance.ts'
import { processUploaded } from './jobs/process-uploaded.ts'
import { pruneJobs, reapJobs } from './jobs/reaper.ts'
import { resumeAfterTrash } from './jobs/resume-after-trash.ts'
import { transcodingMetrics } from './metrics.ts'
import { transcodingPersonalData } from './personal-data.ts'
import { transcodingRoutes } from './routes.ts'
import { stopTasksStatements } from './store/delete-processing.ts'
import { isTranscoding } from './store/job-store.ts'

export const transcodingFeature = {
	routes: transcodingRoutes,
	consumers: { 'job.advance': advanceJob },
	followers: { 'asset.uploaded': processUploaded, 'asset.restored': resumeAfterTrash },
	deadLetters: { 'job.advance': failStuckJob },
	schedules: [{ cron: crons.eachMinute, name: 'reap-jobs', run: reapJobs }],
	prune: pruneJobs,
	contributions: { assetProcessing },
	stopWorkOnAssetStatements: stopTasksStatements,
	isAssetBusy: isTranscoding,
	personalData: transcodingPersonalData,
	metrics: transcodingMetrics,
} satisfies Feature
