import * as contract from '#schema/contract/operations/admin/asset-errors.ts'
import { buildPage, decodeCursor } from '../../../http/page.ts'
import { type Route, serve } from '../../../http/route.ts'
import { toIso } from '../../../platform/clock.ts'
import { retryAssetErrors } from './retry.ts'
import { assetErrorStore } from './store.ts'

export const assetErrorRoutes: Route[] = [
	serve(contract.listAssetErrors, async ({ deps, query, request, headers }) => {
		const rows = await assetErrorStore(deps.db).listGroups(query.limit, decodeCursor(query))
		const page = buildPage(
			rows,
			query,
			({ group }) => [group.lastSeenAt, group.fingerprint],
			request,
			headers,
		)
		return {
			data: page.map(({ group: { firstSeenAt, lastSeenAt, ...group }, assets }) => ({
				...group,
				assets,
				firstSeenAt: toIso(firstSeenAt),
				lastSeenAt: toIso(lastSeenAt),
			})),
		}
	}),

	serve(contract.listAssetsWithError, async ({ deps, params, query, request, headers }) => {
		const store = assetErrorStore(deps.db)
		const rows = await store.listAssets(params.fingerprint, query.limit, decodeCursor(query))
		const page = buildPage(rows, query, (row) => [row.createdAt, row.id], request, headers)
		return {
			data: page.map(({ createdAt, errorMessage, ...row }) => ({
				...row,
				errorMessage: errorMessage ?? '',
				createdAt: toIso(createdAt),
			})),
		}
	}),

	serve(contract.retryAssetErrors, async ({ deps, params, body: { limit, after } }) => ({
		data: await retryAssetErrors(deps, params.fingerprint, limit, decodeCursor({ cursor: after })),
	})),
]
