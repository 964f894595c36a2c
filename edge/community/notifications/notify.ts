import type { NotifyMembers } from '#schema/contract/messages.ts'
import { DAY } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { pushNotifications } from './notification-streams.ts'
import { notifyStore } from './notify-store.ts'

const RETENTION_MS = 90 * DAY

/** Stores notifications, then pushes them to open streams. A repeated message finds nothing to do. */
export async function notifyMembers(deps: Deps, pending: NotifyMembers): Promise<void> {
	const notified = await notifyStore(deps.db).notify(deps.work, pending)
	if (notified[0])
		await pushNotifications(
			deps,
			notified[0].communityId,
			notified.map(({ communityId: _, ...push }) => push),
		)
}

export const pruneNotifications = ({ db, now }: Deps): Promise<void> =>
	notifyStore(db).deleteOlderThan(now - RETENTION_MS)
