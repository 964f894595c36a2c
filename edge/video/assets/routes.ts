import * as contract from '#schema/contract/video/assets.ts'
import * as audio from '#schema/contract/video/audio.ts'
import { readImage } from '../../http/body/image-body.ts'
import { computeEntityTag, readIfMatch } from '../../http/entity-tag.ts'
import { type Route, serve } from '../../http/route.ts'
import { SECOND, toIso } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { getAsset, revokePlaybackTokens, updateAsset, updateAudioConfig } from './assets.ts'
import { listAssetPage } from './library/page.ts'
import { createAsset } from './new-asset.ts'
import { createPlaybackToken } from './playable/playback-tokens.ts'
import { deleteAsset } from './removal.ts'
import { addMatches } from './search/moments.ts'
import { searchStore } from './search/search-store.ts'
import { type AssetRow, pickEditableColumns } from './store.ts'
import { resetThumbnail, setThumbnail } from './thumbnail.ts'
import { listTrashPage } from './trash/page.ts'
import { restoreAsset, trashAsset } from './trash/trash.ts'
import { viewAsset, viewThumbnail } from './view.ts'
import { createLinkContext, viewAssets, viewTrash } from './view-assets.ts'

const viewFullAsset = async (deps: Deps, request: Request, row: AssetRow) =>
	viewAsset(
		row,
		await createLinkContext(deps, request, row),
		await deps.contributions.assetProcessing.view(deps, row.id),
	)

export const assetRoutes: Route[] = [
	serve(contract.createAsset, async ({ deps, caller, body }) => ({
		data: await createAsset(deps, caller.org.id, body),
	})),

	serve(contract.listAssets, async ({ deps, caller, query, request, headers }) => {
		if (query.trashed === 'true') {
			const page = await listTrashPage(deps, caller.org.id, query, request, headers)
			return { data: await viewTrash(deps, request, page) }
		}
		const page = await listAssetPage(deps, caller.org.id, query, request, headers)
		return { data: await viewAssets(deps, request, page) }
	}),

	serve(contract.searchAssets, async ({ deps, caller, query, request }) => {
		const { items, total } = await searchStore(deps.db).search(caller.org.id, query)
		const { limit, offset } = query
		const found = await addMatches(deps, caller.org.id, items, query.q)
		const views = await viewAssets(
			deps,
			request,
			found.map(({ row }) => row),
		)
		const withMoments = views.map((view, at) => ({ ...view, matches: found[at]?.matches ?? [] }))
		return { data: { items: withMoments, total, limit, offset } }
	}),

	serve(contract.getAsset, async ({ deps, caller, params, request, headers }) => {
		const row = await getAsset(deps, caller.org.id, params.assetId)
		headers.set('etag', await computeEntityTag(pickEditableColumns(row)))
		return { data: await viewFullAsset(deps, request, row) }
	}),

	serve(contract.updateAsset, async ({ deps, caller, params, body, request, headers }) => {
		const tags = readIfMatch(contract.updateAsset, request)
		const row = await updateAsset(deps, caller.org.id, params.assetId, body, tags)
		headers.set('etag', await computeEntityTag(pickEditableColumns(row)))
		return { data: await viewFullAsset(deps, request, row) }
	}),

	serve(contract.createPlaybackToken, async ({ deps, caller, params, body }) => {
		const { audience = 'v', expiresInSec = 3_600 } = body ?? {}
		const options = { audience, lifeMs: expiresInSec * SECOND }
		const { token, expiresAt } = await createPlaybackToken(deps, caller.org.id, params.assetId, options)
		return { data: { token, expiresAt: toIso(expiresAt) } }
	}),

	serve(contract.revokePlaybackTokens, async ({ deps, caller, params }) => {
		await revokePlaybackTokens(deps, caller.org.id, params.assetId)
		return { data: { id: params.assetId, revoked: true as const } }
	}),

	serve(contract.setThumbnail, async ({ deps, caller, params, request }) => {
		const image = await readImage(request, contract.MAX_THUMBNAIL_BYTES)
		const row = await setThumbnail(deps, caller.org.id, params.assetId, image)
		return { data: viewThumbnail(row, await createLinkContext(deps, request, row)) }
	}),

	serve(contract.resetThumbnail, async ({ deps, caller, params, request }) => {
		const row = await resetThumbnail(deps, caller.org.id, params.assetId)
		return { data: viewThumbnail(row, await createLinkContext(deps, request, row)) }
	}),

	serve(audio.updateAudioConfig, async ({ deps, caller, params, body }) => ({
		data: await updateAudioConfig(deps, { orgId: caller.org.id, id: params.assetId }, body),
	})),

	serve(contract.deleteAsset, async ({ deps, caller, params: { assetId: id }, query }) => {
		if (query.trash === 'true') {
			const { deleteAt } = await trashAsset(deps, caller.org.id, id)
			return { data: { id, deleted: false, deleteAt: toIso(deleteAt) } }
		}
		await deleteAsset(deps, caller.org.id, id)
		return { data: { id, deleted: true } }
	}),

	serve(contract.restoreAsset, async ({ deps, caller, params, request }) => {
		const { row } = await restoreAsset(deps, caller.org.id, params.assetId)
		return { data: await viewFullAsset(deps, request, row) }
	}),
]
