import { html } from 'hono/html'
import type { PlayableVideo, PlayerPage } from '#schema/contract/watch/player-page.ts'
import type { Html } from './document.ts'
import { listPosterBadges } from './poster-badges.ts'

/** Renders the player before its script runs: the poster, the title and a button. */
export function renderPlayer(
	{ messages }: Pick<PlayerPage, 'messages'>,
	video: PlayableVideo,
	size: { width: number; height: number },
): Html {
	const { isAudioOnly, logoPath, overlayTitle, posterPath } = video
	const classes = ['player', ...(logoPath === null ? [] : ['has-logo']), ...(isAudioOnly ? ['is-audio'] : [])]
	return html`<div class="${classes.join(' ')}" id="player" role="region" aria-label="${messages.player}">
<video class="video" playsinline preload="none" tabindex="-1"></video>
${posterPath === null ? '' : html`<img class="poster" src="${posterPath}" width="${size.width}" height="${size.height}" alt="" fetchpriority="high">`}
${overlayTitle === null ? '' : html`<p class="overlay-title" dir="auto">${overlayTitle}</p>`}
<p class="badges">${listPosterBadges(video).map((badge) => html`<span>${badge}</span>`)}</p>
${logoPath === null ? '' : html`<img class="logo" src="${logoPath}" alt="" decoding="async">`}
<button class="start" type="button" aria-label="${messages.play}"><svg viewBox="0 0 24 24" width="32" height="32" aria-hidden="true"><path d="M8 5.2v13.6L19 12z"/></svg></button>
</div>`
}

export const renderFailure = ({ messages, failure, reportId }: PlayerPage): Html => {
	const isExpired = failure === 'expired'
	return html`<main class="failure" id="player">
<h1>${isExpired ? messages.expired : messages.unavailable}</h1>
<p>${isExpired ? messages.expiredHelp : messages.unavailableHelp}</p>
<p class="again" role="status"></p>
<p class="report"><span dir="auto">${messages.reportId.replace('{id}', reportId)}</span> <button class="text-button copy" type="button" hidden>${messages.copy}</button></p>
</main>`
}
