import type { WatchPage } from '#schema/contract/watch/player-page.ts'
import { callApi } from '../parts/api.ts'
import { markCurrent } from '../parts/elements.ts'
import { onChapter } from './controls/chapters.ts'
import { openPage } from './open-page.ts'
import { readPageData } from './page-data.ts'
import type { Player } from './player.ts'
import { openShare } from './share/open-share.ts'
import { showComments } from './watch/comments.ts'
import { foldDescription } from './watch/fold-description.ts'
import { showHighlights } from './watch/highlights.ts'
import { followWithMiniPlayer } from './watch/mini-player.ts'
import { showReactions } from './watch/reactions.ts'
import { seekOnClick } from './watch/seek-links.ts'
import { showTabs } from './watch/tabs.ts'
import { createTheaterButton } from './watch/theater.ts'
import { connectTranscript } from './watch/transcript.ts'
import { buildViewerPath } from './watch/viewer-path.ts'

/** Connects the button that saves the video as a file. */
function connectDownload(player: Player, { messages }: WatchPage): void {
	const button = document.querySelector<HTMLButtonElement>('.download')
	const status = document.querySelector('.actions .status')
	button?.addEventListener('click', async () => {
		button.disabled = true
		try {
			const { data } = await callApi<{ downloadUrl: string }>(buildViewerPath(player, 'download'))
			// The response has a Content-Disposition, so the page stays.
			location.assign(data.downloadUrl)
			if (status) status.textContent = ''
		} catch {
			if (status) status.textContent = messages.downloadFailed
		}
		button.disabled = false
	})
}

/** Makes the links to chapters seek without leaving the page, and marks the chapter that plays. */
function connectChapterLinks(player: Player): void {
	const links = [...document.querySelectorAll<HTMLAnchorElement>('.chapters a')]
	seekOnClick(player, links)
	onChapter(player, (index) => markCurrent(links, index))
}

const page = readPageData()
const shown = await openPage(page, (player) =>
	// Audio is as high in a wide window as in a narrow one.
	player.video.isAudioOnly ? [] : [createTheaterButton(player)],
)
if (shown && page.watch) {
	const { player } = shown
	const actions = document.querySelector<HTMLElement>('.actions')
	if (actions) actions.hidden = false
	connectChapterLinks(player)
	connectTranscript(player, page.watch)
	void showHighlights(player)
	showReactions(player, page.watch)
	connectDownload(player, page.watch)
	document.querySelector('.share')?.addEventListener('click', () => openShare(player))
	showComments(player, page.watch)
	foldDescription(page.watch)
	showTabs(page.watch)
	followWithMiniPlayer(player, page.watch)
}
