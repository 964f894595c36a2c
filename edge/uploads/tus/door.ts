import type { Doors } from '../../http/caller.ts'
import { uploadToken } from '../../platform/tokens.ts'
import { uploaderStore } from './store.ts'

/** Lets in whoever has the upload token of an asset. What it still opens when its time is over is the verbs' to say. */
export const uploadDoor: Doors['upload'] = async (deps, token) => {
	const { tokens, now } = deps
	const living = await tokens?.read(uploadToken, token, now)
	const claims = living ?? (await tokens?.readExpired(uploadToken, token, now))
	if (!claims) return null
	const { sub: sourceKey, org: orgId, asset: assetId, size: maxBytes } = claims
	const row = await uploaderStore(deps.db).find(orgId, assetId)
	return {
		kind: 'upload',
		assetId,
		orgId,
		sourceKey,
		maxBytes,
		isExpired: !living,
		status: row?.status ?? null,
		org: row ? { id: orgId, slug: row.slug, tier: row.tier, suspended: row.suspendedAt !== null } : null,
	}
}
