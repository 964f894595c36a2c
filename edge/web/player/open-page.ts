import type { PlayerPage } from '#schema/contract/watch/player-page.ts'
import { openChannel } from './embed-api/channel.ts'
import { connectEmbedApi } from './embed-api/connect.ts'
import type { Player } from './player.ts'
import { type ShownPlayer, showPlayer } from './player-view.ts'
import { runFailurePage } from './states/failure-page.ts'

/** Reports to the embedding site why there is no player, and reloads the page when the site sends a token. */
function answerFailure({ failure }: PlayerPage): void {
	const channel = openChannel()
	const error = { code: -1, msg: failure }
	channel?.onMessage(({ method, value, listener }) => {
		if (method !== 'setToken' || typeof value !== 'string') return channel.send('error', error, listener)
		const address = new URL(location.href)
		address.searchParams.set('token', value)
		location.replace(address)
	})
	channel?.send('error', error)
}

/**
 * Starts the player, or explains why there is no video, and connects the page to the embedding site. Returns the
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
