import type { Authenticators } from '../../../http/caller.ts'
import { deriveSuspension } from '../../../platform/suspension.ts'
import { uploadToken } from '../../../platform/tokens/tokens.ts'
import { uploaderStore } from './store.ts'

/**
 * Accepts the upload token of an asset while its requester is a member of the organization. Also accepts an expired
 * one: the verbs decide what it allows.
 */
export const authenticateUpload: Authenticators['upload'] = async (deps, token) => {
	const { tokens, now } = deps
	const valid = await tokens?.read(uploadToken, token, now)
	const claims = valid ?? (await tokens?.readExpired(uploadToken, token, now))
	if (!claims) return null
	const { sub: sourceKey, org: orgId, asset: assetId, size: maxBytes } = claims
	const requester = { userId: claims.usr ?? null, keyId: claims.key ?? null }
	const row = await uploaderStore(deps.db).find(orgId, assetId, requester, deps.now)
	if (row && !row.isAdmitted) return null
	return {
		kind: 'upload',
		assetId,
		orgId,
		sourceKey,
		maxBytes,
		isExpired: !valid,
		status: row?.status ?? null,
		org: row ? { id: orgId, slug: row.slug, tier: row.tier, suspension: deriveSuspension(row) } : null,
	}
}
