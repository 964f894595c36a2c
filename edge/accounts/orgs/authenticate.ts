import type { ApiScope } from '#schema/contract/accounts/roles.ts'
import type { Authenticators } from '../../http/caller.ts'
import { MINUTE } from '../../platform/clock.ts'
import { deriveSuspension } from '../../platform/suspension.ts'
import { sha256 } from '../../platform/tokens/digest.ts'
import { isWellFormedApiKey } from './api-key.ts'
import { apiKeyStore } from './api-key-store.ts'

/** The precision of "last used". A coarse step keeps most requests from causing a write. */
const USED_STEP_MS = 5 * MINUTE

export const authenticateKey: Authenticators['key'] = async (deps, key) => {
	if (!isWellFormedApiKey(key)) return null
	const store = apiKeyStore(deps.db)
	const row = await store.find(await sha256(key), deps.now)
	if (!row) return null
	const usedBefore = deps.now - USED_STEP_MS
	if (row.lastUsedAt === null || row.lastUsedAt < usedBefore)
		deps.defer(store.touch(row.keyId, deps.now, usedBefore))
	return {
		kind: 'key',
		keyId: row.keyId,
		makerId: row.makerId,
		scopes: row.scopes as ApiScope[],
		org: { id: row.orgId, slug: row.slug, tier: row.tier, suspension: deriveSuspension(row) },
	}
}
