import type { SQL } from 'drizzle-orm'
import { sql } from 'drizzle-orm'
import type { ApiScope } from '#schema/contract/accounts/roles.ts'
import type { OrgContext, OrgPerson } from '../../../http/caller.ts'
import { AppError, notFoundError } from '../../../http/errors.ts'
import { requireRecentProof } from '../../../http/recent-proof.ts'
import { batch } from '../../../platform/database/batch.ts'
import { newId } from '../../../platform/database/ids.ts'
import type { Deps } from '../../../platform/deps.ts'
import { sha256 } from '../../../platform/tokens/digest.ts'
import { makeApiKey } from '../api-key.ts'
import { type ApiKeyRow, apiKeyStore } from '../api-key-store.ts'
import { planLimitError, tierLimit } from '../limits.ts'

type Org = Pick<OrgContext, 'id' | 'tier'>
type NewKey = { name: string; scopes: ApiScope[]; expiresAt: number | null }

/**
 * Returns a key and the statements that insert it for a person who is an owner or admin, if the tier has room for it and
 * `isAllowed` holds. `keyInserted` returns no row otherwise.
 */
export async function issueKeyStatements(
	{ db, work, now }: Deps,
	{ org, userId, ...newKey }: NewKey & { org: Org; userId: number },
	isAllowed: SQL,
) {
	const { key, prefix, lastFour } = makeApiKey()
	const row: ApiKeyRow = {
		...newKey,
		id: newId('key', now),
		orgId: org.id,
		keyHash: await sha256(key),
		prefix,
		lastFour,
		createdByUserId: userId,
		createdAt: now,
		lastUsedAt: null,
	}
	const statements = apiKeyStore(db).insertStatements(
		work,
		{ ...row, createdByUserId: userId },
		tierLimit(org.tier, 'apiKeys'),
		isAllowed,
	)
	return { row, key, statements }
}

/** Throws 403 if the tier allows no more keys. */
export async function requireRoomForKey({ db }: Deps, { id, tier }: Org): Promise<void> {
	const max = tierLimit(tier, 'apiKeys')
	if (max !== null && (await apiKeyStore(db).count(id)) >= max) throw planLimitError(tier, 'apiKeys')
}

type RequestedKey = { name: string; scopes: ApiScope[]; expiresAt: string | null }

/** Throws if the organization requires a recent proof of identity for creating API keys, and the caller has none. */
export function requireProofForKey(caller: OrgPerson, now: number): void {
	if (caller.keysNeedProof) requireRecentProof(caller, now)
}

export async function createApiKey(deps: Deps, caller: OrgPerson, input: RequestedKey) {
	requireProofForKey(caller, deps.now)
	const { userId, org, sessionId } = caller
	const expiresAt = input.expiresAt === null ? null : Date.parse(input.expiresAt)
	if (expiresAt !== null && expiresAt <= deps.now)
		throw new AppError('validation', 'expiresAt: is in the past; choose a later time')
	const { name, scopes } = input
	// A request in flight must not add a key after all sessions and keys of a person were revoked.
	const isSessionOpen = sql`exists (select 1 from sessions s where s.id = ${sessionId})`
	const issued = await issueKeyStatements(deps, { org, userId, name, scopes, expiresAt }, isSessionOpen)
	const { keyInserted } = await batch(deps.db, issued.statements)
	if (keyInserted.length === 0) {
		await requireRoomForKey(deps, org)
		throw new AppError('forbidden', 'the session has ended, or you are no longer an admin or owner')
	}
	return { row: issued.row, key: issued.key }
}

export async function deleteApiKey({ db, work }: Deps, orgId: string, keyId: string): Promise<void> {
	if (!(await apiKeyStore(db).delete(work, orgId, keyId))) throw notFoundError('API key')
}
