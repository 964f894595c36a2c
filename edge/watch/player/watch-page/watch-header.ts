import { html } from 'hono/html'
import { toIso } from '../../../platform/clock.ts'
import type { Html } from '../document.ts'
import { splitLinks } from './safe-links.ts'

type Publisher = { name: string; logoPath: string | null }

/** Renders the name of the organization above the video, with its logo or its first letter. */
export const renderSiteHeader = ({ name, logoPath }: Publisher): Html =>
	html`<header class="site-header">
${logoPath === null ? html`<span class="site-mark" aria-hidden="true">${chooseInitial(name)}</span>` : html`<img class="site-logo" src="${logoPath}" alt="">`}
<span class="site-name" dir="auto">${name}</span>
</header>`

/** Returns the first grapheme: what viewers see as one character may have several code points. */
const chooseInitial = (name: string): string =>
	[...new Intl.Segmenter().segment(name.trim())][0]?.segment.toUpperCase() ?? ''

type Byline = { language: string; publisher: string; createdAt: number }

export const renderByline = ({ language, publisher, createdAt }: Byline): Html =>
	html`<p class="published"><bdi>${publisher}</bdi> <time datetime="${toIso(createdAt)}">${new Intl.DateTimeFormat(
		language,
		{ dateStyle: 'long', timeZone: 'UTC' },
	).format(createdAt)}</time></p>`

/** Links lead to foreign sites, so they send no referrer and are marked `nofollow`. */
export const renderDescription = (description: string): Html =>
	html`<div class="description-box"><p class="description" dir="auto">${splitLinks(description).map(
		({ text, url }) =>
			url === null ? text : html`<a href="${url}" rel="nofollow ugc noopener noreferrer">${text}</a>`,
	)}</p></div>`
