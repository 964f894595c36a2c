import type { OrgCaller } from '../../http/caller.ts'
import type { Deps } from '../../platform/deps.ts'
import { memberNotFoundError } from '../not-found.ts'
import { closeStreams } from '../notifications/notification-streams.ts'
import { accessStore, type GrantRow } from './store.ts'

export async function listMemberGrants(
	{ db, now }: Deps,
	caller: OrgCaller,
	communityId: number,
	memberId: number,
): Promise<GrantRow[]> {
	const grants = await accessStore(db).listGrants(caller.org.id, communityId, memberId, now)
	if (!grants) throw memberNotFoundError()
	return grants
}

/** Deletes all grants of a member, which revokes their tokens. Returns how many there were. */
export async function revokeMemberGrants(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	memberId: number,
): Promise<number> {
	const revoked = await accessStore(deps.db).endGrants(deps.work, caller.org.id, communityId, memberId)
	if (revoked === undefined) throw memberNotFoundError()
	deps.defer(closeStreams(deps, communityId, memberId))
	return revoked
}
