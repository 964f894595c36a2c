import type { Deps } from '../../../platform/deps.ts'
import { assetNotFoundError } from '../../assets/assets.ts'
import { readTimeline } from './store.ts'
import { buildTimeline } from './timeline.ts'
import { viewTimeline } from './view.ts'

export async function readAssetTimeline({ db, now }: Deps, orgId: string, assetId: string) {
	const rows = await readTimeline(db, orgId, assetId, now)
	if (!rows) throw assetNotFoundError()
	return viewTimeline(assetId, rows.asset.status, buildTimeline(rows, now))
}
