import type { PublicHighlight } from '#schema/contract/ai/highlights.ts'
import { formatClock } from '#schema/contract/kit/clock.ts'
import { callApi } from '../../parts/api.ts'
import { createElement } from '../../parts/elements.ts'
import type { Player } from '../player.ts'
import { seekOnClick } from './seek-links.ts'
import { buildViewerPath } from './viewer-path.ts'

/** Shows the highlights of the video, if it has any. Each leads to its part of the video. */
export async function showHighlights(player: Player): Promise<void> {
	const panel = document.querySelector<HTMLElement>('.highlights')
	const list = panel?.querySelector('ul')
	if (!panel || !list) return
	const { data } = await callApi<PublicHighlight[]>(buildViewerPath(player, 'highlights')).catch(() => ({
		data: [],
	}))
	if (data.length === 0) return
	const links = data.map(highlightLink)
	list.append(...links.map((link) => createElement('li', {}, [link])))
	seekOnClick(player, links)
	panel.hidden = false
}

function highlightLink({
	title,
	description,
	startTime,
	endTime,
	posterUrl,
}: PublicHighlight): HTMLAnchorElement {
	const address = new URL(location.href)
	address.searchParams.set('t', String(startTime))
	address.searchParams.set('end', String(endTime))
	// The page loads from its own origin only, and the API may have another.
	const picture = {
		src: posterUrl === null ? '' : new URL(posterUrl).pathname,
		alt: '',
		loading: 'lazy',
		width: '160',
		height: '90',
	}
	const length = formatClock(endTime - startTime)
	return createElement(
		'a',
		{ attributes: { href: address.href, 'data-start': String(startTime), title: description } },
		[
			posterUrl === null ? null : createElement('img', { attributes: picture }),
			createElement('span', {
				class: 'times',
				text: `${formatClock(startTime)} (${length})`,
				attributes: { dir: 'ltr' },
			}),
			createElement('bdi', { text: title }),
		],
	)
}
