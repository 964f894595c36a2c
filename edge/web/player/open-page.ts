import type { PlayerPage } from '#schema/contract/watch/player-page.ts'
import { answerFailure } from './embed-api/answer-failure.ts'
import { connectEmbedApi } from './embed-api/connect.ts'
import type { Player } from './player.ts'
import { type ShownPlayer, showPlayer } from './player-view.ts'
import { runFailurePage } from './states/failure-page.ts'

/**
 * Starts the player, or shows why there is no video, and connects the page to the site around its frame. Returns the
 * player, or null.
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
