import type { PlayerPage } from '#schema/contract/watch/player-page.ts'
import { openChannel } from './channel.ts'

/** Tells the site around the frame why there is no player, and opens the page again when the site sends a token. */
export function answerFailure({ failure }: PlayerPage): void {
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
