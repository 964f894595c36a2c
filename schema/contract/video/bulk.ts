import { z } from 'zod'
import { requireExactlyOne } from '../kit/bodies/one-of.ts'
import { AssetId, CollectionId, data, Instant, JobId } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'
import { ErrorCode } from '../kit/problem.ts'
import { AssetStatus, Visibility } from './assets.ts'
import { AiOptions, PlaybackMode } from './processing/process-options.ts'
import { runAiSteps } from './transcoding.ts'

const operation = describeOperations('Assets')

const MAX_ASSETS = 500

/** The filters of `listAssets` as JSON. */
export const AssetFilterBody = z
	.object({
		q: z.string().trim().min(1).max(200),
		status: z.array(AssetStatus).min(1).max(AssetStatus.options.length),
		visibility: z.array(Visibility).min(1).max(Visibility.options.length),
		collectionId: z.union([CollectionId, z.literal('none')]),
		hasCaptions: z.boolean(),
		createdAfter: Instant,
		createdBefore: Instant,
	})
	.partial()
	.refine((filter) => Object.keys(filter).length > 0, 'must have at least one field')
	.meta({
		id: 'AssetFilter',
		description: 'An asset must pass all fields. They mean what they mean in the list of assets',
	})
export type AssetFilterBody = z.output<typeof AssetFilterBody>

export const BulkAction = z
	.discriminatedUnion('type', [
		z.object({ type: z.literal('move'), collectionId: CollectionId.nullable() }),
		z.object({ type: z.literal('setVisibility'), visibility: Visibility }),
		z.object({
			type: z.literal('process'),
			aiOptions: AiOptions.prefault({}),
			playback: PlaybackMode.default('complete'),
		}),
		z.object({ type: z.literal('runAiSteps'), ...runAiSteps.body.shape }),
		z.object({ type: z.literal('cancel') }),
		z.object({ type: z.literal('trash') }),
		z.object({ type: z.literal('restore') }),
		z.object({ type: z.literal('delete') }),
	])
	.meta({ id: 'BulkAction' })
export type BulkAction = z.output<typeof BulkAction>

const BulkResult = z
	.object({
		assetId: AssetId,
		result: z.enum(['done', 'unchanged', 'refused']),
		jobId: JobId.optional().meta({ description: 'Present if the asset was queued' }),
		code: ErrorCode.optional().meta({ description: 'Present if `result` is `refused`' }),
		message: z.string().optional().meta({ description: 'Present if `result` is `refused`' }),
	})
	.meta({ id: 'BulkResult' })
export type BulkResult = z.infer<typeof BulkResult>

export const changeAssets = operation({
	id: 'changeAssets',
	sdk: 'assets.changeMany',
	method: 'post',
	path: '/v1/assets/bulk',
	summary: 'Change, process or delete many assets',
	description:
		'Takes up to 500 ids or a filter. One call changes at most 500 assets, or 25 with `process`, `runAiSteps`, `cancel`, `trash`, `restore` and `delete`; if `cursor` is not null, send the same body with it to continue. A filter selects assets newest first, and a call may examine assets without selecting any. Each asset has a result of its own: `unchanged` if it already had the value, was already in the trash or out of it, or has no job to `cancel`, `refused` with the error that the call for this asset alone would get. Repeating `move`, `setVisibility`, `cancel`, `trash`, `restore` or `delete` is safe; `process` and `runAiSteps` need an `Idempotency-Key` for that. `delete` is permanent; `trash` can be undone for 30 days by `restore`, which takes only `assetIds`. Returns 404 for a collection that does not exist. The audit log contains the ids or the filter, and the number of changed assets.',
	auth: 'write',
	audit: 'assets.bulk_changed',
	body: requireExactlyOne(
		z
			.object({
				assetIds: z
					.array(AssetId)
					.min(1)
					.max(MAX_ASSETS)
					.refine((ids) => new Set(ids).size === ids.length, 'must not name an asset twice')
					.optional(),
				filter: AssetFilterBody.optional(),
				action: BulkAction,
				cursor: z.string().max(512).optional().meta({ description: '`cursor` of the previous response' }),
			})
			.refine(
				({ action, filter }) => action.type !== 'restore' || filter === undefined,
				'filters do not select assets in the trash; send assetIds',
			),
		['assetIds', 'filter'],
	),
	response: data(
		z.object({
			results: z.array(BulkResult),
			cursor: z.string().nullable().meta({ description: 'null if nothing is left' }),
		}),
	),
	errors: ['not_found', 'not_configured', 'org_suspended'],
})
