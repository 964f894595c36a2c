import type { Member } from '../../http/caller.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Viewer } from './visible-spaces.ts'

export const toViewer = (
	{ userId, membershipId, communityId, role }: Member,
	{ now }: Pick<Deps, 'now'>,
): Viewer => ({ userId, membershipId, communityId, role, now })
