import { html } from 'hono/html'
import { REACTIONS } from '#schema/contract/video/reactions.ts'
import type { WatchMessages } from '#schema/contract/video/watch-messages.ts'
import type { Html } from './document.ts'

/** What people can do with a video. Everything here needs the script of the page, which makes it visible. */
export const actionsMarkup = (messages: WatchMessages, allowsDownload: boolean): Html =>
	html`<div class="actions" hidden>
<div class="reactions" role="group" aria-label="${messages.reactions}">
${REACTIONS.map((emoji) => html`<button class="reaction" type="button" aria-pressed="false" data-emoji="${emoji}">${emoji} <span></span></button>`)}
</div>
${allowsDownload ? html`<button class="text-button download" type="button">${messages.download}</button>` : ''}
<button class="text-button share" type="button">${messages.share}</button>
<p class="status" role="status"></p>
</div>`

export const commentsMarkup = (messages: WatchMessages): Html =>
	html`<section class="comments" aria-labelledby="comments-title" hidden>
<h2 id="comments-title">${messages.comments}</h2>
<form class="comment-form">
<label>${messages.commentName}<input name="authorName" autocomplete="name" maxlength="100" required></label>
<label>${messages.commentText}<textarea name="body" maxlength="2000" rows="3" required></textarea></label>
<label class="at"><input type="checkbox" name="at" checked> <span></span></label>
<button class="text-button primary">${messages.postComment}</button>
<p class="status" role="status"></p>
</form>
<ol class="comment-list"></ol>
<p class="comment-note"></p>
<button class="text-button more" type="button" hidden>${messages.moreComments}</button>
</section>`
