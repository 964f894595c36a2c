import type { Authenticators } from '../../http/caller.ts'
import { suspensionOf } from '../../platform/suspension.ts'
import { uploadToken } from '../../platform/tokens/tokens.ts'
import { uploaderStore } from './store.ts'

/** Accepts the upload token of an asset, also an expired one. The verbs decide what an expired token allows. */
export const authenticateUpload: Authenticators['upload'] = async (deps, token) => {
	const { tokens, now } = deps
	const valid = await tokens?.read(uploadToken, token, now)
	const claims = valid ?? (await tokens?.readExpired(uploadToken, token, now))
	if (!claims) return null
	const { sub: sourceKey, org: orgId, asset: assetId, size: maxBytes } = claims
	const row = await uploaderStore(deps.db).find(orgId, assetId, deps.now)
	return {
		kind: 'upload',
		assetId,
		orgId,
		sourceKey,
		maxBytes,
		isExpired: !valid,
		status: row?.status ?? null,
		org: row ? { id: orgId, slug: row.slug, tier: row.tier, suspension: suspensionOf(row) } : null,
	}
}
