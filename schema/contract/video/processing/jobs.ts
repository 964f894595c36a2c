import { z } from 'zod'
import { AssetId, data, JobId } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { AssetJob } from '../assets.ts'

const operation = describeOperations('Assets')

export const Job = AssetJob.extend({
	assetId: AssetId,
	currentStep: z.string().nullable().meta({
		description:
			'`fetching` (for an imported source), `inspecting`, `encoding`, `packaging`, `stills` or `finishing`; null if the job is not running',
	}),
	attempts: z.object({
		failed: z
			.int()
			.nonnegative()
			.meta({ description: 'Attempts of machines that failed or did not respond' }),
		running: z.int().nonnegative().meta({ description: 'Tasks on which machines work now' }),
	}),
}).meta({ id: 'Job' })

export const getJob = operation({
	id: 'getJob',
	method: 'get',
	path: '/v1/jobs/{jobId}',
	summary: 'Get a job, which is one processing of an asset',
	description:
		'The job that a request to process an asset returned. A job is kept until a later one of the same asset is published, or the asset is deleted. The response is then 404, as it is while the asset is in the trash. Failed attempts are kept for 30 days.',
	auth: 'read',
	impersonation: 'read',
	params: z.object({ jobId: JobId }),
	response: data(Job),
	errors: ['not_found'],
})

export const cancelJob = operation({
	id: 'cancelJob',
	method: 'post',
	path: '/v1/jobs/{jobId}/cancel',
	summary: 'Cancel a job that has not ended',
	description:
		'Machines stop at their next heartbeat. An asset that was not published by this job gets its earlier status: `ready` if an earlier processing was published, otherwise `uploaded`. With `playback: early`, an asset that is already `ready` stays playable with the renditions that are published. Files that are not published are deleted. The minutes of the job count only if all renditions that playback needs were published. Returns a cancelled job unchanged, and 409 for a job that is `completed` or `failed`.',
	auth: 'write',
	audit: 'none: content',
	impersonation: 'write',
	idempotencyKey: { needless: 'a job is cancelled once' },
	params: z.object({ jobId: JobId }),
	response: data(Job),
	errors: ['not_found', 'conflict'],
})
