import { connectEmbedApi } from './embed-api/connect.ts'
import { readPageData } from './page-data.ts'
import { showPlayer } from './player-view.ts'
import { runFailurePage } from './states/failure-page.ts'
import { connectChapterLinks } from './watch/chapter-links.ts'
import { showComments } from './watch/comments.ts'
import { connectDownload } from './watch/download.ts'
import { showReactions } from './watch/reactions.ts'
import { connectShare } from './watch/share-dialog.ts'
import { theaterButton } from './watch/theater.ts'
import { connectTranscript } from './watch/transcript.ts'

const page = readPageData()
if (page.video) {
	const shown = await showPlayer(page, page.video, (opened) => [theaterButton(opened)])
	const { player } = shown
	connectEmbedApi(shown)
	if (page.watch) {
		const actions = document.querySelector<HTMLElement>('.actions')
		if (actions) actions.hidden = false
		connectChapterLinks(player)
		connectTranscript(player, page.watch)
		showReactions(player, page.watch)
		connectDownload(player, page.watch)
		connectShare(player, page.watch)
		showComments(player, page.watch)
	}
} else runFailurePage(page)
