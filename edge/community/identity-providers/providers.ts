import { MAX_IDENTITY_PROVIDERS } from '#schema/contract/community/manage/identity-providers.ts'
import type { OrgCaller } from '../../http/caller.ts'
import { AppError, notFoundError } from '../../http/errors.ts'
import { omitUndefined } from '../../http/omit-undefined.ts'
import type { Deps } from '../../platform/deps.ts'
import { findOutboundUrlProblem } from '../../platform/network/outbound-url.ts'
import { requireCommunity } from '../communities/communities.ts'
import { sealClientSecret } from './secret.ts'
import { type IdentityProviderRow, identityProviderStore } from './store.ts'

export const identityProviderNotFoundError = () => notFoundError('identity provider')

export async function listIdentityProviders(deps: Deps, caller: OrgCaller, communityId: number) {
	const { id } = await requireCommunity(deps, caller, communityId)
	return identityProviderStore(deps.db).list(id)
}

type NewProvider = Pick<IdentityProviderRow, 'label' | 'issuer' | 'clientId' | 'clientSecret' | 'joining'>

/** Returns what is wrong with an issuer, or null. OpenID Connect allows neither a query nor a fragment in it. */
function findIssuerProblem(deps: Deps, issuer: string): string | null {
	if (/[?#]/.test(issuer)) return 'must not contain a query or fragment'
	return findOutboundUrlProblem(deps, issuer)
}

export async function createIdentityProvider(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	input: NewProvider,
): Promise<IdentityProviderRow> {
	const { db, work, now } = deps
	await requireCommunity(deps, caller, communityId)
	const problem = findIssuerProblem(deps, input.issuer)
	if (problem) throw new AppError('validation', `issuer: ${problem}`)
	const clientSecret = await sealClientSecret(deps, input.clientSecret, { communityId, ...input })
	const row = { ...input, communityId, clientSecret, createdAt: now, updatedAt: now }
	const inserted = await identityProviderStore(db).insert(work, caller.org.id, row, MAX_IDENTITY_PROVIDERS)
	if (!inserted)
		throw new AppError(
			'conflict',
			`a community has at most ${MAX_IDENTITY_PROVIDERS} identity providers; delete one first`,
		)
	return inserted
}

type Change = {
	label?: string | undefined
	clientSecret?: string | undefined
	joining?: IdentityProviderRow['joining'] | undefined
}

export async function updateIdentityProvider(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	id: number,
	change: Change,
): Promise<IdentityProviderRow> {
	const store = identityProviderStore(deps.db)
	const place = { orgId: caller.org.id, communityId, id }
	const changes = omitUndefined(change)
	const before = await store.find(place)
	if (!before) throw identityProviderNotFoundError()
	if (changes.clientSecret !== undefined)
		changes.clientSecret = await sealClientSecret(deps, changes.clientSecret, before)
	const row = await store.update(deps.work, place, changes)
	if (!row) throw identityProviderNotFoundError()
	return row
}

export async function deleteIdentityProvider(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	id: number,
): Promise<void> {
	const isDeleted = await identityProviderStore(deps.db).remove(deps.work, {
		orgId: caller.org.id,
		communityId,
		id,
	})
	if (!isDeleted) throw identityProviderNotFoundError()
}
