import type { Identity } from '#schema/contract/accounts/whoami.ts'
import type { OrgCaller } from '../../../http/caller.ts'
import { notFoundError } from '../../../http/errors.ts'
import { toIso, toIsoOrNull } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { apiKeyStore } from '../api-key-store.ts'

/** Describes the credential of a request. */
export async function describeCaller({ db }: Pick<Deps, 'db'>, caller: OrgCaller): Promise<Identity> {
	const { id, slug } = caller.org
	const found = await apiKeyStore(db).findIdentity(id, caller.kind === 'key' ? caller.keyId : null)
	// The organization was deleted after the credential was checked.
	if (!found) throw notFoundError('organization')
	const org = { id, slug, name: found.orgName }
	if (caller.kind === 'key') {
		const key = { id: caller.keyId, name: found.keyName ?? '', scopes: [...caller.scopes] }
		return { kind: 'key', org, key, user: null, expiresAt: toIsoOrNull(found.keyExpiresAt) }
	}
	const { userId, email, name, role, sessionExpiresAt } = caller
	const user = { id: userId, email, name, role }
	return { kind: 'session', org, key: null, user, expiresAt: toIso(sessionExpiresAt) }
}
