import { z } from 'zod'
import { AssetId, data, JobId } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'
import { AiStep, AssetAiJob, AssetParams, AssetStatus } from './assets.ts'
import { ProcessOptions } from './processing/process-options.ts'
import { SpokenLanguage } from './tasks.ts'

const operation = describeOperations('Assets')

export const processAsset = operation({
	id: 'processAsset',
	method: 'post',
	path: '/v1/assets/{assetId}/process',
	summary: 'Process an asset for playback',
	description:
		'Requires the status `uploaded`, `error` or `ready`. An asset that is processed again does not play until the new files are ready; they replace the old ones. With `playback: early`, the asset becomes `ready` with its first playable rendition, and the others are added while `job.status` is still `processing`. Returns 409 if the asset has no source or a job is running.',
	auth: 'write',
	audit: 'none: content',
	impersonation: 'write',
	whenSuspended: 'no new work',
	params: AssetParams,
	body: ProcessOptions,
	bodyOptional: true,
	response: data(z.object({ assetId: AssetId, jobId: JobId, status: z.literal('queued') })),
	errors: ['not_found', 'conflict', 'plan_limit'],
})

export const runAiSteps = operation({
	id: 'runAiSteps',
	method: 'post',
	path: '/v1/assets/{assetId}/ai',
	summary: 'Make the transcript, subtitles, chapters or highlights of an asset again',
	description:
		'Runs the given steps alone, without encoding the video again. A step that is running begins again. Returns 409 until the asset is ready. Also returns 409 for a transcript, chapters or highlights that a person edited, unless `force` is true.',
	auth: 'write',
	audit: 'none: content',
	impersonation: 'write',
	whenSuspended: 'no new work',
	params: AssetParams,
	body: z.object({
		steps: z
			.array(AiStep)
			.min(1)
			.max(AiStep.options.length)
			.refine((steps) => new Set(steps).size === steps.length, 'must not name a step twice'),
		language: z
			.string()
			.trim()
			.toLowerCase()
			.pipe(SpokenLanguage)
			.optional()
			.meta({ description: 'The language that is spoken, such as `en`; found out if omitted' }),
		force: z.boolean().default(false).meta({ description: 'Whether to replace what a person edited' }),
	}),
	response: data(z.object({ aiJob: AssetAiJob })),
	errors: ['not_found', 'conflict'],
})

/** The data of a server-sent event. */
export const AssetProgress = z
	.object({
		status: AssetStatus,
		currentStep: z.string().nullable(),
		jobStatus: z.string().nullable(),
		progress: z.int().min(0).max(100),
		estimatedSecondsLeft: z.int().nonnegative().nullable(),
		errorMessage: z.string().nullable(),
	})
	.meta({ id: 'AssetProgress' })
export type AssetProgress = z.infer<typeof AssetProgress>

/** Streams of progress and of live counts that an organization may have open at once. */
export const MAX_STREAMS_PER_ORG = 50
export const streamLimit = `An organization has at most ${MAX_STREAMS_PER_ORG} streams of progress and live counts open at once; more get 429.`

export const streamAssetProgress = operation({
	id: 'streamAssetProgress',
	method: 'get',
	path: '/v1/assets/{assetId}/progress',
	summary: 'Stream the processing progress of an asset as server-sent events',
	description: `Sends an event \`progress\` with an \`AssetProgress\` at once and after each change; comments keep the connection open. The stream ends when the processing ends, and otherwise after some minutes: reconnect with \`Last-Event-ID\`. Returns 204 if nothing changed since that event and no job is running, so that an EventSource stops. Send the credential as a header. ${streamLimit}`,
	auth: 'read',
	impersonation: 'read',
	params: AssetParams,
	answersWith: 'text/event-stream',
	errors: ['not_found'],
})
