import { formatClock } from '#schema/contract/kit/clock.ts'
import type { WatchPage } from '#schema/contract/watch/player-page.ts'
import { copyOnClick } from '../../parts/copy.ts'
import { createElement } from '../../parts/elements.ts'
import { fillPlaceholders } from '../../parts/fill.ts'
import type { Player } from '../player.ts'

/** Connects the button that shows the link, and the code that puts the player on another page. */
export function connectShare(player: Player, { messages, watchUrl, embedSnippet }: WatchPage): void {
	const { messages: common } = player.page
	const startAt = createElement('input', { type: 'checkbox' })
	const startLabel = createElement('span')
	const link = copyField(messages.shareLink, common)
	const code = embedSnippet === null ? null : copyField(messages.shareEmbed, common)
	let sec = 0

	const show = () => {
		const t = startAt.checked ? String(sec) : null
		link.field.value = withStart(watchUrl, t)
		if (code && embedSnippet !== null)
			code.field.value = embedSnippet.replace(
				/ src="([^"]*)"/,
				(_, src: string) => ` src="${withStart(src, t)}"`,
			)
	}
	const dialog = createElement('dialog', { class: 'dialog', attributes: { 'aria-label': messages.share } }, [
		createElement('h2', { text: messages.share }),
		createPreview(player),
		createNativeShare(player, messages, () => link.field.value),
		link.row,
		code?.row ?? null,
		createElement('label', { class: 'start-at' }, [startAt, ' ', startLabel]),
		createElement('button', {
			class: 'text-button',
			type: 'button',
			text: common.close,
			on: { click: () => dialog.close() },
		}),
	])
	startAt.addEventListener('change', show)
	document.body.append(dialog)
	document.querySelector('.share')?.addEventListener('click', () => {
		sec = Math.floor(player.currentTime())
		startLabel.textContent = fillPlaceholders(messages.shareFrom, { time: formatClock(sec) })
		show()
		dialog.showModal()
	})
}

/** The URLs have no fragment, and are already escaped for an attribute. */
const withStart = (address: string, t: string | null): string =>
	t === null ? address : `${address}${address.includes('?') ? '&' : '?'}t=${t}`

/** Renders poster and title, the preview that the recipient of the link sees. */
function createPreview({ video }: Player): HTMLElement {
	const poster =
		video.posterPath === null
			? null
			: createElement('img', { attributes: { src: video.posterPath, alt: '', width: '128', height: '72' } })
	return createElement('div', { class: 'share-preview' }, [
		poster,
		createElement('strong', { text: video.title, attributes: { dir: 'auto' } }),
	])
}

/** Returns a button that opens the share menu of the device; null if the browser has none. */
function createNativeShare({ video }: Player, messages: WatchPage['messages'], readUrl: () => string) {
	if (!('share' in navigator)) return null
	return createElement('button', {
		class: 'text-button primary native-share',
		type: 'button',
		text: messages.shareWithApp,
		// The promise also rejects when the viewer closes the menu.
		on: { click: () => void navigator.share({ title: video.title, url: readUrl() }).catch(() => undefined) },
	})
}

function copyField(label: string, common: Player['page']['messages']) {
	const field = createElement('textarea', {
		attributes: { readonly: '', rows: '2', dir: 'ltr', 'aria-label': label },
	})
	const button = createElement('button', { class: 'text-button', type: 'button', text: common.copy })
	// The text stays selected, for viewers who copy it themselves.
	button.addEventListener('click', () => field.select())
	copyOnClick(button, () => field.value, common.copied)
	const row = createElement('div', { class: 'copy-field' }, [
		createElement('span', { text: label }),
		field,
		button,
	])
	return { row, field }
}
