import type { NotifyMembers } from '#schema/contract/messages.ts'
import { SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'

export type PendingNotification = Omit<NotifyMembers, 'type'>

/** When the sweep may pick up a new notification. Until then, the message sent after the response should have handled it. */
export const computeFirstNotifyAt = (now: number): number => now + 15 * SECOND

/** Sends a message per row after the response. `notify_at` of the row makes the sweep resend a lost message. */
export function deferNotifications(
	deps: Pick<Deps, 'defer' | 'send'>,
	of: PendingNotification['of'],
	ids: readonly number[],
): void {
	for (const id of ids) deps.defer(deps.send({ type: 'community.notify', of, id }))
}
