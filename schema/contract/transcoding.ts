import { z } from 'zod'
import { AssetParams, AssetStatus } from './assets.ts'
import { AssetId, data, JobId } from './fields.ts'
import { operation } from './operation.ts'

const tag = 'Assets'

export const AiOptions = z.object({
	transcription: z.boolean().default(true),
	subtitles: z.boolean().default(true),
	chapters: z.boolean().default(true),
	highlights: z.boolean().default(true),
})
export type AiOptions = z.infer<typeof AiOptions>

export const PlaybackMode = z.enum(['complete', 'early'])
export type PlaybackMode = z.infer<typeof PlaybackMode>

export const processAsset = operation({
	id: 'processAsset',
	method: 'post',
	path: '/v1/assets/{assetId}/process',
	tag,
	summary: 'Make an asset playable',
	description:
		'From `uploaded`, `error` and `ready` (again). While it is processed anew it is not played; what was made before goes when the new is ready. With `playback: early` the asset turns `ready` at the first rendition that plays, and gains the others while `job.status` still is `processing`. 409 without a source and while a job runs: none is ever doubled.',
	auth: 'write',
	idempotent: true,
	params: AssetParams,
	body: z.object({
		aiOptions: AiOptions.prefault({}),
		playback: PlaybackMode.default('complete'),
	}),
	bodyOptional: true,
	status: 200,
	response: data(z.object({ assetId: AssetId, jobId: JobId, status: z.literal('queued') })),
	errors: ['not_found', 'conflict', 'plan_limit'],
})

/** The data of an event of the stream. */
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

export const streamAssetProgress = operation({
	id: 'streamAssetProgress',
	method: 'get',
	path: '/v1/assets/{assetId}/progress',
	tag,
	summary: 'Progress of the processing, live, as server-sent events',
	description:
		'Events named `progress` with the data of `AssetProgress`, one at once and one after each change; comments keep the connection open. The stream ends when nothing is being processed any more, and by itself after some minutes: reconnect with `Last-Event-ID`. 204 where nothing has happened since that event and nothing will, so that an EventSource stops. Send the credential as a header; at most 50 streams at once for an organization.',
	auth: 'read',
	params: AssetParams,
	status: 200,
	answersWith: 'text/event-stream',
	errors: ['not_found'],
})
