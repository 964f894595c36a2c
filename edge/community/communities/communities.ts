import type { OrgCaller } from '../../http/caller.ts'
import { givenOf } from '../../http/changes.ts'
import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import { isUniqueViolation } from '../../platform/unique-violation.ts'
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

const TAKEN = 'the slug or the domain is taken; choose another one'

export async function createCommunity(
	{ db, now }: Deps,
	caller: OrgCaller,
	input: Pick<CommunityRow, 'name' | 'slug' | 'customDomain'>,
): Promise<CommunityRow> {
	const row = { ...input, orgId: caller.org.id, createdAt: now, updatedAt: now }
	const ownerId = caller.kind === 'person' ? caller.userId : null
	const made = await refuseTaken(TAKEN, () => communityStore(db).insert(row, ownerId))
	return made as CommunityRow
}

type Change = {
	name?: string | undefined
	slug?: string | undefined
	customDomain?: string | null | undefined
}

export async function updateCommunity({ db, now }: Deps, caller: OrgCaller, id: number, change: Change) {
	const row = await refuseTaken(TAKEN, () =>
		communityStore(db).update(caller.org.id, id, givenOf(change), now),
	)
	if (!row) throw new AppError('not_found', 'no such community')
	return row
}

export async function deleteCommunity(deps: Deps, caller: OrgCaller, id: number): Promise<void> {
	if (!(await communityStore(deps.db).remove(caller.org.id, id, deps.now)))
		throw new AppError('not_found', 'no such community')
	await deps.send({ type: 'community.remove', communityId: id })
}
