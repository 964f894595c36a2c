import type { TellMembers } from '#schema/contract/messages.ts'
import { DAY } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { announce } from './news.ts'
import { pushTold } from './streams-door.ts'
import { tellStore } from './tell-store.ts'

const KEPT_MS = 90 * DAY

/** Writes down who is told of something, then tells those who listen. A second delivery finds that it is done. */
export async function tellMembers(deps: Deps, news: TellMembers): Promise<void> {
	const told = await tellStore(deps.db).tell(news, deps.now)
	if (told[0])
		await pushTold(
			deps,
			told[0].communityId,
			told.map(({ communityId: _, ...push }) => push),
		)
}

/** To the queue with the news whose message was lost. */
export async function handOverNews(deps: Deps): Promise<void> {
	for (const of of ['comment', 'reaction', 'event', 'place'] as const)
		announce(deps, of, await tellStore(deps.db).claimDue(of, deps.now))
}

export const forgetNotifications = ({ db, now }: Deps): Promise<void> => tellStore(db).forget(now - KEPT_MS)
