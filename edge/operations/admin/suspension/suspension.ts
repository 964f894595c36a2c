import type { SuspensionReason } from '#schema/contract/accounts/suspension.ts'
import { notFoundError } from '../../../http/errors.ts'
import type { Deps } from '../../../platform/deps.ts'
import { deleteCachedPublicVideos } from '../../../video/assets/playable/playable.ts'
import { wakeFleet } from '../../../video/fleet/wake.ts'
import { abortUploads } from '../../../video/transcoding/machine-api/large-output.ts'
import { type SuspendedOrg, suspensionStore } from './store.ts'

/** Suspends an organization for a reason. Concurrent calls add the reason once, and each returns the resulting state. */
export async function suspendOrg(deps: Deps, orgId: string, reason: SuspensionReason): Promise<SuspendedOrg> {
	const { org, isChanged, tasksTaken } = await suspensionStore(deps.db).suspend(deps.work, orgId, reason)
	if (!org) throw notFoundError('organization')
	await deleteCachedPublicVideos()
	if (isChanged) deps.log.warn('organization suspended', { orgId, reason, tasks: tasksTaken.length })
	// The next claim clears the uploads of these tasks from their rows.
	if (tasksTaken.length > 0) deps.defer(abortUploads(deps, tasksTaken))
	return org
}

/** Lifts one reason. Machines can then claim the waiting tasks; the sweep resumes webhook deliveries. */
export async function unsuspendOrg(
	deps: Deps,
	orgId: string,
	reason: SuspensionReason,
): Promise<SuspendedOrg> {
	const { org, isChanged } = await suspensionStore(deps.db).unsuspend(deps.work, orgId, reason)
	if (!org) throw notFoundError('organization')
	await deleteCachedPublicVideos()
	if (isChanged) {
		deps.log.warn('reason for a suspension lifted', { orgId, reason })
		deps.defer(wakeFleet(deps))
	}
	return org
}
