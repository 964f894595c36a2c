import type { PlayerPage } from '#schema/contract/video/player-page.ts'
import { answerFailure } from './embed-api/answer-failure.ts'
import { connectEmbedApi } from './embed-api/connect.ts'
import type { Player } from './player.ts'
import { type ShownPlayer, showPlayer } from './player-view.ts'
import { runFailurePage } from './states/failure-page.ts'

/**
 * Starts what a page shows, the player or the reason why there is no video, and the messages between the frame and the
 * site around it. Returns the player, or null.
 */
export async function openPage(
	page: PlayerPage,
	extraControls?: (player: Player) => HTMLElement[],
): Promise<ShownPlayer | null> {
	if (!page.video) {
		runFailurePage(page)
		answerFailure(page)
		return null
	}
	const shown = await showPlayer(page, page.video, extraControls)
	connectEmbedApi(shown)
	return shown
}
