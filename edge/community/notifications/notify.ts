import type { NotifyMembers } from '#schema/contract/messages.ts'
import { DAY } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { notifyStore } from './notify-store.ts'
import { deferNotifications } from './pending-notification.ts'
import { pushNotifications } from './streams-stub.ts'

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

/** Sends messages again for pending notifications whose message was lost. */
export async function enqueueNotifications(deps: Deps): Promise<void> {
	for (const of of ['comment', 'reaction', 'event', 'place'] as const)
		deferNotifications(deps, of, await notifyStore(deps.db).claimDue(of, deps.now))
}

export const pruneNotifications = ({ db, now }: Deps): Promise<void> =>
	notifyStore(db).deleteOlderThan(now - RETENTION_MS)
