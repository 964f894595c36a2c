import type { MembersQuery } from '#schema/contract/community/manage/memberships.ts'
import type { OrgCaller } from '../../http/caller.ts'
import { AppError } from '../../http/errors.ts'
import { decodeCursor } from '../../http/page.ts'
import type { Deps } from '../../platform/deps.ts'
import { queuePurges } from '../../platform/storage/storage-purge.ts'
import { rejectDuplicate, requireCommunity } from '../communities/communities.ts'
import { memberNotFoundError } from '../not-found.ts'
import { closeStreams } from '../notifications/notification-streams.ts'
import { deferNotifications } from '../notifications/pending-notification.ts'
import { deferIndexing } from '../search/index-content.ts'
import { type Change, type MembershipRow, membershipStore } from './manage-store.ts'

export async function listMemberships(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	query: MembersQuery,
): Promise<MembershipRow[]> {
	const { id } = await requireCommunity(deps, caller, communityId)
	return membershipStore(deps.db).list(id, query, query.limit, decodeCursor(query))
}

export async function findMembership(
	{ db }: Deps,
	caller: OrgCaller,
	communityId: number,
	id: number,
): Promise<MembershipRow> {
	const row = await membershipStore(db).find(caller.org.id, communityId, id)
	if (!row) throw memberNotFoundError()
	return row
}

/** Returns which members a caller may change. An API key may change role and status of plain members only. */
const changeableMembers = ({ kind }: OrgCaller, { role, status }: Change): 'anyone' | 'plain members' =>
	kind === 'key' && (role !== undefined || status !== undefined) ? 'plain members' : 'anyone'

/** Explains why nothing was changed: no such member, no permission for an API key, or the last owner. */
async function changeRefusedError(
	{ db }: Deps,
	caller: OrgCaller,
	communityId: number,
	id: number,
): Promise<AppError> {
	const member = await membershipStore(db).find(caller.org.id, communityId, id)
	if (!member) return memberNotFoundError()
	if (caller.kind === 'key' && member.role !== 'member')
		return new AppError(
			'forbidden',
			'an API key can change plain members only; sign in as a person to change others',
		)
	return new AppError('conflict', 'a community needs an owner; make someone else an owner first')
}

export async function updateMembership(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	id: number,
	change: Change,
): Promise<MembershipRow> {
	const { db, work } = deps
	const changeable = changeableMembers(caller, change)
	const updated = await rejectDuplicate('another member already has this ssoUserId', () =>
		membershipStore(db).update(work, caller.org.id, communityId, id, change, changeable),
	)
	if (!updated) throw await changeRefusedError(deps, caller, communityId, id)
	const { row, promoted } = updated
	deferNotifications(deps, 'place', promoted)
	deferIndexing(deps, 'member', id)
	if (row.status !== 'active') deps.defer(closeStreams(deps, communityId, id))
	if (change.avatarUrl !== undefined) deps.defer(queuePurges(deps))
	return row
}

export async function removeMembership(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	id: number,
	{ deleteContent }: { deleteContent: boolean },
): Promise<void> {
	const { db, work } = deps
	const among = changeableMembers(caller, { status: 'inactive' })
	if (deleteContent && !(await findMembership(deps, caller, communityId, id)).managed)
		throw new AppError('conflict', 'deleteContent: this member has an account; hide the content instead')
	const removed = await membershipStore(db).remove(work, caller.org.id, communityId, id, {
		among,
		deleteContent,
	})
	if (!removed) throw await changeRefusedError(deps, caller, communityId, id)
	deferNotifications(deps, 'place', removed.promoted)
	for (const userId of removed.erased) deps.defer(deps.send({ type: 'deletion.erase_managed', userId }))
	deps.defer(closeStreams(deps, communityId, id))
	deps.defer(queuePurges(deps))
}
