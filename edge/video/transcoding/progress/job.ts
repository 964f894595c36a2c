import type { z } from 'zod'
import type { Job } from '#schema/contract/video/processing/jobs.ts'
import { notFoundError } from '../../../http/errors.ts'
import type { Deps } from '../../../platform/deps.ts'
import { type FoundJob, findJob } from '../store/job-view-store.ts'
import { viewAssetJob } from './processing-view.ts'
import { findRunningStep } from './progress.ts'

export async function getJob({ db, now }: Pick<Deps, 'db' | 'now'>, orgId: string, jobId: string) {
	const found = await findJob(db, orgId, jobId)
	if (!found) throw notFoundError('job')
	return viewJob(found, now)
}

const viewJob = ({ job, assetId, work, failed, running }: FoundJob, now: number): z.input<typeof Job> => ({
	...viewAssetJob(job, work, now),
	assetId,
	currentStep: findRunningStep(job, work),
	attempts: { failed, running },
})
