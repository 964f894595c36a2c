import { html } from 'hono/html'
import { formatClock } from '#schema/contract/kit/clock.ts'
import type { WatchMessages } from '#schema/contract/watch/watch-messages.ts'
import { buildWatchUrl } from '../../../video/assets/playable/player-pages.ts'
import type { PublicVideo } from '../../../video/assets/playable/public-videos-store.ts'
import { thumbnailUrl } from '../../../video/assets/view.ts'
import type { Html } from '../document.ts'

/** Renders links to other public videos of the collection, with posters from this origin: the page loads no others. */
export const renderOtherVideos = (messages: WatchMessages, videos: readonly PublicVideo[]): Html =>
	html`<section class="others" aria-labelledby="others-title">
<h2 id="others-title">${messages.moreVideos}</h2>
<ul>${videos.map(
		(video) =>
			html`<li><a href="${buildWatchUrl('', video.playbackId)}"><span class="other-poster"><img src="${thumbnailUrl({ base: '', token: null }, video)}" alt="" width="320" height="180" loading="lazy" decoding="async">${
				video.durationSec ? html`<span class="length">${formatClock(video.durationSec)}</span>` : ''
			}</span> <bdi>${video.title}</bdi></a></li>`,
	)}</ul>
</section>`
