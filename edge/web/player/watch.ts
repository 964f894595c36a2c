import { openPage } from './open-page.ts'
import { readPageData } from './page-data.ts'
import { connectChapterLinks } from './watch/chapter-links.ts'
import { showComments } from './watch/comments.ts'
import { connectDownload } from './watch/download.ts'
import { showHighlights } from './watch/highlights.ts'
import { showReactions } from './watch/reactions.ts'
import { connectShare } from './watch/share-dialog.ts'
import { theaterButton } from './watch/theater.ts'
import { connectTranscript } from './watch/transcript.ts'

const page = readPageData()
const shown = await openPage(page, (player) => [theaterButton(player)])
if (shown && page.watch) {
	const { player } = shown
	const actions = document.querySelector<HTMLElement>('.actions')
	if (actions) actions.hidden = false
	connectChapterLinks(player)
	connectTranscript(player, page.watch)
	void showHighlights(player)
	showReactions(player, page.watch)
	connectDownload(player, page.watch)
	connectShare(player, page.watch)
	showComments(player, page.watch)
}
