import { html } from 'hono/html'
import { formatClock } from '#schema/contract/kit/clock.ts'
import { buildWatchUrl } from '../../../video/assets/playable/player-pages.ts'
import type { PublicVideo } from '../../../video/assets/playable/public-videos-store.ts'
import { thumbnailUrl } from '../../../video/assets/view.ts'

type Html = ReturnType<typeof html>
type LandingPage = {
	/** Null if this page shows none. */
	videos: readonly PublicVideo[] | null
	/** The base URL of the pages with the player. */
	base: string
	isProduction: boolean
}

export const renderLandingPage = ({ videos, base, isProduction }: LandingPage): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="Playhouse is an open platform for video and community.">
<title>Playhouse</title>
<link rel="icon" href="/landing/playhouse.svg" type="image/svg+xml">
<link rel="stylesheet" href="/shared/base.css">
<link rel="stylesheet" href="/landing/landing.css">
</head>
<body>
<header>
<img src="/landing/playhouse.svg" alt="" width="48" height="48">
<div>
<h1>Playhouse</h1>
<p>An open platform for video and the people around it.</p>
</div>
</header>
<main>
${videos === null ? '' : videosMarkup(videos, base, isProduction)}
</main>
<footer>
${linksMarkup('Your account', [
	['/security', 'Sign-in and security', 'Passkeys, second factors and where you are signed in'],
	['/device', 'Connect a device', 'Enter the code that a device or program shows you'],
])}
${linksMarkup('For programs', [
	...(isProduction ? [] : [['/reference', 'API reference', 'Read and try every operation'] as const]),
	['/openapi.json', 'OpenAPI document', 'For client generators and API tools'],
	['/v1/config', 'Configuration', 'Features and limits of this installation'],
	['/health/ready', 'Health', 'Whether this installation is ready'],
])}
</footer>
</body>
</html>
`

const videosMarkup = (
	videos: readonly PublicVideo[],
	base: string,
	isProduction: boolean,
): Html => html`<section aria-labelledby="videos">
<h2 id="videos">Latest videos</h2>
${videos.length > 0 ? html`<ul class="videos">${videos.map((video, at) => cardMarkup(video, base, at))}</ul>` : emptyMarkup(isProduction)}
</section>`

/** The first row is on the screen at once. */
const EAGER_CARDS = 4

function cardMarkup(video: PublicVideo, base: string, at: number): Html {
	const { playbackId, title, durationSec } = video
	// The page loads from its own origin only.
	const poster = thumbnailUrl({ base: '', token: null }, video)
	const length = durationSec ? formatClock(durationSec) : null
	const loading = at < EAGER_CARDS ? 'eager' : 'lazy'
	return html`<li><a href="${buildWatchUrl(base, playbackId)}">
<span class="poster"><img src="${poster}" alt="" width="320" height="180" loading="${loading}" decoding="async">
${length ? html`<span class="length" aria-hidden="true">${length}</span>` : ''}</span>
<span class="title" dir="auto">${title}</span>
${length ? html`<span class="hidden">Length ${length}</span>` : ''}
</a></li>`
}

const emptyMarkup = (isProduction: boolean): Html => html`<div class="empty">
<h3>No videos yet</h3>
${
	isProduction
		? html`<p>Public videos appear here as soon as they can be played.</p>`
		: html`<p>The first lines of <code>npm start</code> name a command that adds three videos and a community. Or upload your own.</p>
<p><a href="/reference#/Assets">Upload with the API reference</a></p>`
}
</div>`

type Link = readonly [href: string, name: string, purpose: string]

const linksMarkup = (name: string, links: readonly Link[]): Html => html`<nav aria-label="${name}">
<h2>${name}</h2>
<ul>${links.map(([href, label, purpose]) => html`<li><a href="${href}"><strong>${label}</strong> <span>${purpose}</span></a></li>`)}</ul>
</nav>`
