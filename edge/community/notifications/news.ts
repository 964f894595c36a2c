import type { TellMembers } from '#schema/contract/messages.ts'
import { SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'

export type News = Omit<TellMembers, 'type'>

/** The queue's first chance comes right after the answer; the sweep looks only for what was left behind. */
export const firstTellAt = (now: number): number => now + 15 * SECOND

/** Hands news to the queue behind the answer. It stands on its row, so a message that is lost is sent again. */
export function announce(deps: Pick<Deps, 'defer' | 'send'>, of: News['of'], ids: readonly number[]): void {
	for (const id of ids) deps.defer(deps.send({ type: 'community.tell', of, id }))
}
