import { html } from 'hono/html'
import { type Html, playerDocument } from './document.ts'
import type { PageContent } from './page-content.ts'
import { failureMarkup, playerMarkup } from './player-markup.ts'

/** The embed page, for frames on other sites. Search engines may index it only as a part of the pages around it. */
export function embedPage(content: PageContent): Html {
	const { page, size } = content
	const { video, messages } = page
	return playerDocument({
		...content,
		title: video?.title ?? messages.unavailable,
		head: html`<meta name="robots" content="noindex, indexifembedded">`,
		body: video ? playerMarkup(page, video, size) : failureMarkup(page),
	})
}
