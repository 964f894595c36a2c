import { html } from 'hono/html'
import type { PublicVideo } from '../../video/assets/playable/public-videos-store.ts'
import { type Html, renderPlayerDocument } from './document.ts'
import { watchMessagesIn } from './language.ts'
import type { PageContent } from './page-content.ts'
import { renderFailure, renderPlayer } from './player-markup.ts'
import { renderHeadTags } from './sharing/head-tags.ts'
import type { ShareImage } from './sharing/share-image.ts'
import { joinParagraphs, type Paragraph } from './transcript.ts'
import { renderOtherVideos } from './watch-page/other-videos.ts'
import { renderByline, renderDescription, renderSiteHeader } from './watch-page/watch-header.ts'
import {
	renderActions,
	renderChapters,
	renderComments,
	renderHighlights,
	renderTranscript,
} from './watch-panels.ts'

/** What the watch page shows besides the player. */
export type WatchParts = {
	picture: ShareImage | null
	paragraphs: readonly Paragraph[]
	others: readonly PublicVideo[]
}

/** The watch page: the player with title, description and panels. */
export function renderWatchPage(content: PageContent, { picture, paragraphs, others }: WatchParts): Html {
	const { page, row, size } = content
	const { video } = page
	if (!row || !video)
		return renderPlayerDocument({
			...content,
			title: page.messages.unavailable,
			head: html`<meta name="robots" content="noindex">`,
			body: renderFailure(page),
		})
	const messages = watchMessagesIn[page.language]
	const linkTo = (sec: number) => ownLink(content, sec)
	const panels = [
		video.chapters.length > 0 && renderChapters(page.messages.chapters, video.chapters, linkTo),
		paragraphs.length > 0 &&
			renderTranscript({ messages, language: row.transcriptLanguage, paragraphs, linkTo }),
		row.publicSettings.showComments && renderComments(messages),
	].filter((panel) => panel !== false)
	return renderPlayerDocument({
		...content,
		page: { ...page, watch: { messages } },
		title: row.title,
		head: renderHeadTags({
			...content,
			row,
			language: page.language,
			isAudioOnly: video.isAudioOnly,
			chapters: video.chapters,
			transcript: joinParagraphs(paragraphs),
			picture,
		}),
		body: html`${renderSiteHeader({ name: row.org.name, logoPath: video.logoPath })}
<main>
<div class="stage">
${renderPlayer(page, video, size)}
</div>
<div class="about">
<h1 dir="auto">${row.title}</h1>
<div class="byline">
${renderByline({ language: page.language, publisher: row.org.name, createdAt: row.createdAt })}
${renderActions(messages, page.messages.share, row.publicSettings.allowDownload)}
</div>
${row.description ? renderDescription(row.description) : ''}
${row.publicSettings.showHighlights ? renderHighlights(messages) : ''}
</div>
${panels.length > 0 ? html`<div class="panels">${panels}</div>` : ''}
${others.length > 0 ? renderOtherVideos(messages, others) : ''}
</main>`,
	})
}

/** Returns a link to a moment on this page for the same viewer, with the token and the preview flag. */
function ownLink({ linkParameters, parameters: { token, start } }: PageContent, sec: number): string {
	const own = { ...(token && { token }), ...(start.preview && { preview: '1' }) }
	return `?${new URLSearchParams({ ...linkParameters, ...own, t: String(sec) })}`
}
