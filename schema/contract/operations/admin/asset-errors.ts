import { z } from 'zod'
import { AssetId, data, OrgId, Timestamp } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { dataPage, PageQuery } from '../../kit/page.ts'
import { ErrorCode } from '../../kit/problem.ts'
import { MAX_COUNTED } from './limits.ts'

const operation = describeOperations('Operators')
const Fingerprint = z.string().regex(/^[\w-]{22}$/)

/** The assets that one call processes again. */
const RETRIED_AT_ONCE = 25

export const AssetErrorGroup = z
	.object({
		fingerprint: Fingerprint,
		message: z.string().meta({ description: 'The message, with names in place of what differs' }),
		assets: z
			.int()
			.nonnegative()
			.meta({ description: `Assets that have such an error now, at most ${MAX_COUNTED}` }),
		occurrences: z.int().positive().meta({ description: 'How often processing has failed like this' }),
		firstSeenAt: Timestamp,
		lastSeenAt: Timestamp,
	})
	.meta({ id: 'AssetErrorGroup' })
export type AssetErrorGroup = z.infer<typeof AssetErrorGroup>

export const listAssetErrors = operation({
	id: 'listAssetErrors',
	method: 'get',
	path: '/v1/admin/asset-errors',
	summary: 'List the errors of assets, grouped by what their messages have in common',
	description:
		'The group that was last seen comes first. Messages are in the same group if they differ only in numbers, ids, paths, hashes, URLs and quoted text.',
	auth: 'superadmin',
	query: PageQuery,
	paged: true,
	response: dataPage(AssetErrorGroup),
})

const GroupParams = z.object({ fingerprint: Fingerprint })

export const listAssetsWithError = operation({
	id: 'listAssetsWithError',
	sdk: 'admin.assetErrors.listAssets',
	method: 'get',
	path: '/v1/admin/asset-errors/{fingerprint}/assets',
	summary: 'List the assets that have an error of a group, newest first',
	auth: 'superadmin',
	params: GroupParams,
	query: PageQuery,
	paged: true,
	response: dataPage(
		z
			.object({
				id: AssetId,
				orgId: OrgId,
				title: z.string(),
				errorMessage: z.string(),
				createdAt: Timestamp,
			})
			.meta({ id: 'AssetWithError' }),
	),
})

export const retryAssetErrors = operation({
	id: 'retryAssetErrors',
	method: 'post',
	path: '/v1/admin/asset-errors/{fingerprint}/retry',
	summary: 'Process the assets of a group again',
	description: `Oldest first, at most ${RETRIED_AT_ONCE} in one call, with the options of their last processing. If \`next\` is not null, repeat the call with it as \`after\`; an asset that fails again is then not repeated. Assets of suspended organizations, and of those whose limits don't allow it, are skipped.`,
	auth: 'superadmin',
	audit: 'asset_errors.retried',
	params: GroupParams,
	body: z.object({
		limit: z.int().min(1).max(RETRIED_AT_ONCE).default(RETRIED_AT_ONCE),
		after: z.string().max(512).optional(),
	}),
	status: 202,
	response: data(
		z.object({
			retried: z.int().nonnegative(),
			skipped: z.array(z.object({ assetId: AssetId, reason: ErrorCode })),
			next: z.string().nullable(),
		}),
	),
})
