import type { Person } from '../../http/caller.ts'
import { AppError } from '../../http/errors.ts'
import { unverifiedAddressError } from '../../http/verified-address.ts'
import type { Deps } from '../../platform/deps.ts'
import { memberNotFoundError } from '../not-found.ts'
import { closeStreams } from '../notifications/notification-streams.ts'
import { deferIndexing } from '../search/index-content.ts'
import { mergeStore } from './merge-store.ts'

/** An unverified address finds nothing, because it may belong to somebody else. */
function requireVerified({ emailVerified }: Person): void {
	if (!emailVerified) throw unverifiedAddressError()
}

export async function listManagedMemberships({ db }: Deps, person: Person) {
	requireVerified(person)
	return mergeStore(db).list(person)
}

export async function mergeManagedMembership(deps: Deps, person: Person, memberId: number) {
	requireVerified(person)
	const store = mergeStore(deps.db)
	const former = await store.find(person, memberId)
	const merged = former && (await store.merge(deps.work, person, memberId))
	if (!merged) {
		if (former?.isMember)
			throw new AppError('conflict', 'you are a member of this community already; leave it as it is')
		throw memberNotFoundError()
	}
	deferIndexing(deps, 'member', memberId)
	deps.defer(closeStreams(deps, merged.community.id, memberId))
	const { formerUserId: userId } = merged
	if (userId !== null) deps.defer(deps.send({ type: 'deletion.erase_managed', userId }))
	return { ...merged.community, memberId }
}
