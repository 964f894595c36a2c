import type { OrgCaller } from '../../http/caller.ts'
import { givenOf } from '../../http/changes.ts'
import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import { isUniqueViolation } from '../../platform/unique-violation.ts'
import { claimOf } from '../domains/claim.ts'
import { canonicalHost, isOwnHost } from '../domains/host.ts'
import { type CommunityRow, communityStore } from './store.ts'

/** A community of the caller's organization; those of others are not there. */
export async function wantCommunity({ db }: Deps, caller: OrgCaller, id: number): Promise<CommunityRow> {
	const row = await communityStore(db).find(caller.org.id, id)
	if (!row) throw new AppError('not_found', 'no such community')
	return row
}

/** Answers 409 for what a unique index refuses. */
export async function refuseTaken<T>(message: string, act: () => Promise<T>): Promise<T> {
	try {
		return await act()
	} catch (error) {
		if (isUniqueViolation(error)) throw new AppError('conflict', message)
		throw error
	}
}

const TAKEN = 'the slug is taken; choose another one'

/** The host that is claimed. Hosts of the installation are nobody's to claim. */
function domainToClaim({ env }: Deps, domain: string): string {
	const host = canonicalHost(domain)
	if (host === null)
		throw new AppError(
			'validation',
			'customDomain: must be a host name such as club.example.org, without port, path or a dot at its end',
		)
	if (isOwnHost(env, host))
		throw new AppError('validation', 'customDomain: this host belongs to the installation; choose your own')
	return host
}

export async function createCommunity(
	deps: Deps,
	caller: OrgCaller,
	{ customDomain, ...input }: Pick<CommunityRow, 'name' | 'slug' | 'customDomain'>,
): Promise<CommunityRow> {
	const { db, now } = deps
	const claim = claimOf(customDomain === null ? null : domainToClaim(deps, customDomain), now)
	const row = { ...input, orgId: caller.org.id, createdAt: now, updatedAt: now, ...claim }
	const ownerId = caller.kind === 'person' ? caller.userId : null
	const made = await refuseTaken(TAKEN, () => communityStore(db).insert(row, ownerId))
	return made as CommunityRow
}

type Change = {
	name?: string | undefined
	slug?: string | undefined
	customDomain?: string | null | undefined
}

export async function updateCommunity(deps: Deps, caller: OrgCaller, id: number, change: Change) {
	const { db, now } = deps
	const given = givenOf(change)
	if (given.customDomain) given.customDomain = domainToClaim(deps, given.customDomain)
	const row = await refuseTaken(TAKEN, () => communityStore(db).update(caller.org.id, id, given, now))
	if (!row) throw new AppError('not_found', 'no such community')
	return row
}

export async function deleteCommunity(deps: Deps, caller: OrgCaller, id: number): Promise<void> {
	if (!(await communityStore(deps.db).remove(caller.org.id, id, deps.now)))
		throw new AppError('not_found', 'no such community')
	await deps.send({ type: 'community.remove', communityId: id })
}
