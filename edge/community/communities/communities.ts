import type { OrgCaller } from '../../http/caller.ts'
import { AppError } from '../../http/errors.ts'
import { omitUndefined } from '../../http/omit-undefined.ts'
import { isUniqueViolation } from '../../platform/database/unique-violation.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Env } from '../../platform/env.ts'
import { toCanonicalHost } from '../../platform/network/host-name.ts'
import { newDomainClaim } from '../domains/claim.ts'
import { communityNotFoundError } from '../not-found.ts'
import { type CommunityRow, communityStore, pickEditableColumns } from './store.ts'

/** Checks whether a host belongs to the installation or is the slug host of a community. */
function isOwnHost({ ownHosts, vars: { COMMUNITY_BASE_DOMAIN: base } }: Env, host: string): boolean {
	return ownHosts.has(host) || (base !== undefined && (host === base || host.endsWith(`.${base}`)))
}

/** Returns a community of the caller's organization. Throws 404 for communities of others. */
export async function requireCommunity(
	{ db }: Deps,
	caller: { org: { id: string } },
	id: number,
): Promise<CommunityRow> {
	const row = await communityStore(db).find(caller.org.id, id)
	if (!row) throw communityNotFoundError()
	return row
}

/** Converts the violation of a unique index to a 409. */
export async function rejectDuplicate<T>(message: string, act: () => Promise<T>): Promise<T> {
	try {
		return await act()
	} catch (error) {
		if (isUniqueViolation(error)) throw new AppError('conflict', message)
		throw error
	}
}

const SLUG_TAKEN = 'the slug is taken; choose another one'

/** Returns the canonical host to claim. Rejects hosts of the installation itself. */
function domainToClaim({ env }: Deps, domain: string): string {
	const host = toCanonicalHost(domain)
	if (host === null)
		throw new AppError(
			'validation',
			'customDomain: must be a host name such as club.example.org, without port, path or a dot at its end',
		)
	if (isOwnHost(env, host))
		throw new AppError(
			'validation',
			'customDomain: this host belongs to the installation; choose another one',
		)
	return host
}

export async function createCommunity(
	deps: Deps,
	caller: OrgCaller,
	{ customDomain, ...input }: Pick<CommunityRow, 'name' | 'slug' | 'customDomain'>,
): Promise<CommunityRow> {
	const { db, work, now } = deps
	const claim = newDomainClaim(customDomain === null ? null : domainToClaim(deps, customDomain), now)
	const row = { ...input, orgId: caller.org.id, createdAt: now, updatedAt: now, ...claim }
	const ownerId = caller.kind === 'person' ? caller.userId : null
	const community = await rejectDuplicate(SLUG_TAKEN, () => communityStore(db).insert(work, row, ownerId))
	return community as CommunityRow
}

type Change = {
	name?: string | undefined
	slug?: string | undefined
	customDomain?: string | null | undefined
	reactions?: string[] | undefined
}

export async function updateCommunity(
	deps: Deps,
	caller: OrgCaller,
	id: number,
	change: Change,
	before?: CommunityRow,
) {
	const { db, work } = deps
	const changes = omitUndefined(change)
	if (changes.customDomain) changes.customDomain = domainToClaim(deps, changes.customDomain)
	const row = await rejectDuplicate(SLUG_TAKEN, () =>
		communityStore(db).update(work, caller.org.id, id, changes, before && pickEditableColumns(before)),
	)
	if (!row) throw communityNotFoundError()
	return row
}

export async function deleteCommunity(deps: Deps, caller: OrgCaller, id: number): Promise<void> {
	if (!(await communityStore(deps.db).remove(deps.work, caller.org.id, id))) throw communityNotFoundError()
	await deps.send({ type: 'community.remove', communityId: id })
}
