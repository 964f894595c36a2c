import { html } from 'hono/html'
import { formatClock } from '#schema/contract/kit/clock.ts'
import type { Chapter } from '#schema/contract/watch/player-page.ts'
import { REACTIONS } from '#schema/contract/watch/reactions.ts'
import type { WatchMessages } from '#schema/contract/watch/watch-messages.ts'
import type { Html } from './document.ts'
import type { Paragraph } from './transcript.ts'

/** Actions for the viewer. They require the page's script, which reveals them. */
export const renderActions = (messages: WatchMessages, share: string, allowsDownload: boolean): Html =>
	html`<div class="actions" hidden>
<div class="reactions" role="group" aria-label="${messages.reactions}">
${REACTIONS.map((emoji) => html`<button class="reaction" type="button" aria-pressed="false" data-emoji="${emoji}">${emoji} <span></span></button>`)}
</div>
${allowsDownload ? html`<button class="text-button download" type="button">${messages.download}</button>` : ''}
<button class="text-button share" type="button">${share}</button>
<p class="status" role="status"></p>
</div>`

export const renderComments = (messages: WatchMessages): Html =>
	html`<section class="comments" aria-labelledby="comments-title" hidden>
<h2 id="comments-title">${messages.comments}</h2>
<form class="comment-form">
<div class="composer">
<textarea name="body" aria-label="${messages.commentText}" placeholder="${messages.commentText}" maxlength="2000" rows="2" required></textarea>
<div class="composer-row">
<input name="authorName" aria-label="${messages.commentName}" placeholder="${messages.commentName}" autocomplete="name" maxlength="100" required>
<label class="at"><input type="checkbox" name="at" checked> <span></span></label>
<button class="text-button primary">${messages.postComment}</button>
</div>
</div>
<p class="status" role="status"></p>
</form>
<ol class="comment-list"></ol>
<p class="comment-note"></p>
<button class="text-button more" type="button" hidden>${messages.moreComments}</button>
</section>`

/** Filled by the page's script: most videos have none, and the page is cached without them. */
export const renderHighlights = (messages: WatchMessages): Html =>
	html`<nav class="highlights" aria-labelledby="highlights-title" hidden>
<h2 id="highlights-title">${messages.highlights}</h2>
<ul></ul>
</nav>`

/** Links to the chapters. They work without the page's script, which makes them seek instead. */
export const renderChapters = (
	title: string,
	chapters: readonly Chapter[],
	linkTo: (sec: number) => string,
): Html =>
	html`<section class="chapters" aria-labelledby="chapters-title">
<h2 id="chapters-title">${title}</h2>
<ol>${chapters.map(
		({ startSec, title }) =>
			html`<li><a href="${linkTo(startSec)}" data-start="${startSec}"><span dir="ltr">${formatClock(startSec)}</span> <bdi>${title}</bdi></a></li>`,
	)}</ol>
</section>`

export type TranscriptPanel = {
	messages: WatchMessages
	language: string | null
	paragraphs: readonly Paragraph[]
	linkTo: (sec: number) => string
}

/**
 * The transcript. Its links work without the page's script, which adds the search. Only one link per paragraph is in
 * the tab order.
 */
export const renderTranscript = ({ messages, language, paragraphs, linkTo }: TranscriptPanel): Html =>
	html`<section class="transcript">
<h2 id="transcript-title">${messages.transcript}</h2>
<form class="transcript-search" role="search" hidden>
<input type="search" name="query" aria-label="${messages.searchTranscript}" placeholder="${messages.searchTranscript}" maxlength="100" autocomplete="off">
<p class="status" role="status"></p>
</form>
<div class="transcript-text" role="region" aria-labelledby="transcript-title" tabindex="0">
<ol dir="auto" lang="${language ?? ''}">${paragraphs.map(
		({ startSec, lines }) =>
			html`<li><a class="time" href="${linkTo(startSec)}" data-start="${startSec}" dir="ltr">${formatClock(startSec)}</a><p>${lines.map(
				(line, at) =>
					html`${at > 0 ? ' ' : ''}<a href="${linkTo(line.startSec)}" data-start="${line.startSec}" tabindex="-1">${line.text}</a>`,
			)}</p></li>`,
	)}</ol>
</div>
</section>`
