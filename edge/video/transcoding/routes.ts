import * as leases from '#schema/contract/video/leases.ts'
import * as jobs from '#schema/contract/video/processing/jobs.ts'
import { makeThumbnail } from '#schema/contract/video/processing/thumbnail-frame.ts'
import { getAssetTimeline } from '#schema/contract/video/processing/timeline.ts'
import * as contract from '#schema/contract/video/transcoding.ts'
import { type Route, serve } from '../../http/route.ts'
import { toIso } from '../../platform/clock.ts'
import { viewThumbnail } from '../assets/view.ts'
import { createLinkContext } from '../assets/view-assets.ts'
import { cancelJob } from './jobs/cancellation.ts'
import { processAsset } from './jobs/process.ts'
import { claimTask } from './machine-api/claim.ts'
import { completeTask } from './machine-api/complete.ts'
import {
	failTask,
	presignLeasedParts,
	presignOutputs,
	releaseTask,
	renewLease,
} from './machine-api/leases.ts'
import { requestPoster } from './posters/poster-request.ts'
import { getJob } from './progress/job.ts'
import { streamProgress } from './progress/progress-stream.ts'
import { readAssetTimeline } from './timeline/asset-timeline.ts'

const accepted = { data: { accepted: true as const } }

const holderOf = (
	{ machineId }: { machineId: string },
	{ taskId }: { taskId: string },
	{ epoch }: { epoch: number },
) => ({
	taskId,
	epoch,
	machineId,
})

export const transcodingRoutes: Route[] = [
	serve(contract.processAsset, async ({ deps, caller, params, body }) => {
		const options = body ?? contract.processAsset.body.parse({})
		const jobId = await processAsset(deps, caller.org, params.assetId, options)
		return { data: { assetId: params.assetId, jobId, status: 'queued' as const } }
	}),

	serve(contract.streamAssetProgress, ({ deps, caller, params, request, isStillAdmitted }) =>
		streamProgress(
			deps,
			caller.org.id,
			params.assetId,
			request.headers.get('last-event-id'),
			isStillAdmitted,
		),
	),

	serve(jobs.getJob, async ({ deps, caller, params }) => ({
		data: await getJob(deps, caller.org.id, params.jobId),
	})),

	serve(jobs.cancelJob, async ({ deps, caller, params }) => {
		await cancelJob(deps, caller.org.id, params.jobId)
		return { data: await getJob(deps, caller.org.id, params.jobId) }
	}),

	serve(makeThumbnail, async ({ deps, caller, params, body, request }) => {
		const row = await requestPoster(deps, caller.org.id, params.assetId, body.atSec)
		return { data: viewThumbnail(row, await createLinkContext(deps, request, row)) }
	}),

	serve(getAssetTimeline, async ({ deps, caller, params }) => ({
		data: await readAssetTimeline(deps, caller.org.id, params.assetId),
	})),

	serve(leases.claimTask, async ({ deps, caller, body }) => ({
		data: { task: await claimTask(deps, caller, body) },
	})),

	serve(leases.heartbeatTask, async ({ deps, caller, params, body }) => {
		const until = await renewLease(deps, holderOf(caller, params, body), body.progress)
		return { data: { leaseUntil: toIso(until) } }
	}),

	serve(leases.presignOutputs, async ({ deps, caller, params, body }) => ({
		data: { outputs: await presignOutputs(deps, holderOf(caller, params, body), body.names) },
	})),

	serve(leases.presignParts, async ({ deps, caller, params, body }) => ({
		data: { urls: await presignLeasedParts(deps, holderOf(caller, params, body), body.partNumbers) },
	})),

	serve(leases.completeTask, async ({ deps, caller, params, body }) => {
		await completeTask(deps, holderOf(caller, params, body), body.result)
		return accepted
	}),

	serve(leases.failTask, async ({ deps, caller, params, body }) => {
		await failTask(deps, holderOf(caller, params, body), body)
		return accepted
	}),

	serve(leases.releaseTask, async ({ deps, caller, params, body }) => {
		await releaseTask(deps, holderOf(caller, params, body))
		return accepted
	}),
]
