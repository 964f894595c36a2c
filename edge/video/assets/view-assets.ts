import type { AssetSummary } from '#schema/contract/video/assets.ts'
import type { Deps } from '../../platform/deps.ts'
import { apiBase } from '../../platform/env.ts'
import { mintHourlyToken } from './playable/playback-tokens.ts'
import type { AssetRow } from './store.ts'
import { type LinkContext, viewSummary } from './view.ts'

export const createLinkContext = async (
	deps: Deps,
	request: Request,
	row: AssetRow,
): Promise<LinkContext> => ({
	base: apiBase(deps.env, request),
	token: await mintHourlyToken(deps, row, 't'),
})

export const viewAssets = (deps: Deps, request: Request, rows: AssetRow[]): Promise<AssetSummary[]> =>
	Promise.all(rows.map(async (row) => viewSummary(row, await createLinkContext(deps, request, row))))
