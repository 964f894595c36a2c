import type { ProfileValue } from '#schema/contract/community/member/members.ts'
import { countNameChange } from '../../accounts/attempts/name-changes.ts'
import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import { queuePurges } from '../../platform/storage/storage-purge.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { memberNotFoundError } from '../not-found.ts'
import { closeStreams } from '../notifications/notification-streams.ts'
import { deferNotifications } from '../notifications/pending-notification.ts'
import { profileFieldStore } from '../profile-fields/store.ts'
import { deferIndexing } from '../search/index-content.ts'
import { findInvalidValue, indexByFieldId } from './profile-values.ts'
import { memberStore, type ProfileChange, type ProfileRow } from './store.ts'

export async function findProfile({ db }: Deps, viewer: Viewer, memberId: number): Promise<ProfileRow> {
	const row = await memberStore(db).findProfile(viewer, memberId)
	if (!row) throw memberNotFoundError()
	return row
}

/** Returns the user id of a member, by which posts and comments store their author. */
export async function findUserId({ db }: Deps, viewer: Viewer, memberId: number): Promise<number> {
	const userId = await memberStore(db).findUserId(viewer, memberId)
	if (userId === undefined) throw memberNotFoundError()
	return userId
}

export async function updateProfile(
	deps: Deps,
	viewer: Viewer,
	change: ProfileChange,
	values: Record<string, ProfileValue | null> | undefined,
): Promise<ProfileRow> {
	const fields = values ? await profileFieldStore(deps.db).list(viewer.communityId) : []
	const problem = findInvalidValue(fields, values ?? {})
	if (problem !== null) throw new AppError('validation', problem)
	if (change.name !== undefined) await countNameChange(deps, viewer.userId)
	await memberStore(deps.db).update(viewer, change, indexByFieldId(fields, values ?? {}))
	if (change.avatarUrl !== undefined) deps.defer(queuePurges(deps))
	deferIndexing(deps, 'member', viewer.membershipId)
	return findProfile(deps, viewer, viewer.membershipId)
}

/** Ends the viewer's own membership. `orgId` is the organization that runs the community, if any. */
export async function deactivateMember(deps: Deps, viewer: Viewer, orgId: string | null): Promise<void> {
	const promoted = await memberStore(deps.db).deactivate(deps.work, viewer, orgId)
	if (!promoted) throw new AppError('forbidden', "owners and admins can't leave; change their role first")
	deferNotifications(deps, 'place', promoted)
	deps.defer(closeStreams(deps, viewer.communityId, viewer.membershipId))
}
