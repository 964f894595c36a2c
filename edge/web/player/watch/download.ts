import type { WatchPage } from '#schema/contract/watch/player-page.ts'
import { callApi } from '../../parts/api.ts'
import type { Player } from '../player.ts'
import { viewerPath } from './viewer-path.ts'

/** Connects the button that saves the video as a file. */
export function connectDownload(player: Player, { messages }: WatchPage): void {
	const button = document.querySelector<HTMLButtonElement>('.download')
	const status = document.querySelector('.actions .status')
	button?.addEventListener('click', async () => {
		button.disabled = true
		try {
			const { data } = await callApi<{ downloadUrl: string }>(viewerPath(player, 'download'))
			// The response has a Content-Disposition, so the page stays.
			location.assign(data.downloadUrl)
			if (status) status.textContent = ''
		} catch {
			if (status) status.textContent = messages.downloadFailed
		}
		button.disabled = false
	})
}
