import type { AssetSummary } from '#schema/contract/video/assets.ts'
import { toIso } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { apiBase, playerBase } from '../../platform/env.ts'
import { mintHourlyToken } from './playable/playback-tokens.ts'
import type { AssetRow } from './store.ts'
import { findSummaryDetails } from './summary-details.ts'
import type { TrashedRow } from './trash/store.ts'
import { type AssetLinkContext, viewSummary } from './view.ts'

export const createLinkContext = async (
	deps: Deps,
	request: Request,
	row: AssetRow,
): Promise<AssetLinkContext> => ({
	base: apiBase(deps.env, request),
	playerBase: playerBase(deps.env, request),
	token: await mintHourlyToken(deps, row, 't'),
})

/** Returns summaries of assets of one organization. The cost does not depend on their number. */
export async function viewAssets(deps: Deps, request: Request, rows: AssetRow[]): Promise<AssetSummary[]> {
	const findDetails = await findSummaryDetails(deps, rows)
	return Promise.all(
		rows.map(async (row) => viewSummary(row, await createLinkContext(deps, request, row), findDetails(row))),
	)
}

/** Nothing of an asset in the trash is served. */
const noLinks = { thumbnailUrl: null, thumbnailSmallUrl: null, watchUrl: null, embedUrl: null }

/** Like `viewAssets`, but for assets in the trash: adds `trashedAt` and `deleteAt`. */
export async function viewTrash(deps: Deps, request: Request, rows: TrashedRow[]): Promise<AssetSummary[]> {
	const views = await viewAssets(deps, request, rows)
	return rows.flatMap(({ trashedAt, deleteAt }, at) => {
		const view = views[at]
		return view ? [{ ...view, ...noLinks, trashedAt: toIso(trashedAt), deleteAt: toIso(deleteAt) }] : []
	})
}
