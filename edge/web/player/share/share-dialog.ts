import { formatClock } from '#schema/contract/kit/clock.ts'
import type { ShareLinks } from '#schema/contract/watch/player-page.ts'
import { copyOnClick } from '../../parts/copy.ts'
import { createElement } from '../../parts/elements.ts'
import { fillPlaceholders } from '../../parts/fill.ts'
import type { Player } from '../player.ts'
import { createQrImage } from './qr-image.ts'
import { parseClock } from './start-time.ts'

/** Returns a dialog with the link, its QR code, and the code that puts the player on another page. */
export function createShareDialog(player: Player, { watchUrl, embedSnippet }: ShareLinks) {
	const { messages } = player.page
	const link = copyField(messages.shareLink, messages)
	const code = embedSnippet === null ? null : copyField(messages.shareEmbed, messages)
	const image = createQrImage(messages.qrCode)
	const start = createStartFields(messages, () => show())
	const show = () => {
		const sec = start.sec()
		const t = sec === null ? null : String(Math.min(sec, Math.floor(player.duration())))
		link.field.value = withStart(watchUrl, t)
		image.show(link.field.value)
		if (code && embedSnippet !== null)
			code.field.value = embedSnippet.replace(
				/ src="([^"]*)"/,
				(_, src: string) => ` src="${withStart(src, t)}"`,
			)
	}
	const attributes = { 'aria-label': messages.share }
	const dialog = createElement('dialog', { class: 'dialog share-dialog', attributes }, [
		createElement('h2', { text: messages.share }),
		createPreview(player, image.root),
		createNativeShare(player, () => link.field.value),
		start.root,
		link.row,
		code?.row ?? null,
		createElement('button', {
			class: 'text-button',
			type: 'button',
			text: messages.close,
			on: { click: () => dialog.close() },
		}),
	])
	document.body.append(dialog)
	return {
		open() {
			start.offer(Math.floor(player.currentTime()))
			show()
			dialog.showModal()
		},
	}
}

/** The URLs have no fragment, and are already escaped for an attribute. */
const withStart = (address: string, t: string | null): string =>
	t === null ? address : `${address}${address.includes('?') ? '&' : '?'}t=${t}`

/** Returns a switch and a field for the moment at which the video starts. Typing a time turns the switch on. */
function createStartFields(messages: Player['page']['messages'], onChange: () => void) {
	const isOn = createElement('input', { type: 'checkbox' })
	const time = createElement('input', {
		type: 'text',
		attributes: {
			'aria-label': messages.startTime,
			dir: 'ltr',
			inputmode: 'text',
			maxlength: '9',
			size: '6',
		},
	})
	const [before = '', after = ''] = messages.shareFrom.split('{time}')
	const nameSwitch = () =>
		isOn.setAttribute('aria-label', fillPlaceholders(messages.shareFrom, { time: time.value }))
	time.addEventListener('input', () => {
		isOn.checked = true
		time.setAttribute('aria-invalid', String(parseClock(time.value) === null))
		nameSwitch()
		onChange()
	})
	isOn.addEventListener('change', onChange)
	return {
		root: createElement('label', { class: 'start-at' }, [isOn, ` ${before}`, time, after]),
		/** Null without a start, and while what was typed is no time. */
		sec: () => (isOn.checked ? parseClock(time.value) : null),
		offer(sec: number) {
			time.value = formatClock(sec)
			time.removeAttribute('aria-invalid')
			nameSwitch()
		},
	}
}

/** Renders poster and title, the preview that the recipient of the link sees, and the QR code. */
function createPreview({ video }: Player, qrCode: Element): HTMLElement {
	const poster =
		video.posterPath === null
			? null
			: createElement('img', { attributes: { src: video.posterPath, alt: '', width: '128', height: '72' } })
	return createElement('div', { class: 'share-preview' }, [
		poster,
		createElement('strong', { text: video.title, attributes: { dir: 'auto' } }),
		qrCode,
	])
}

/** Returns a button that opens the share menu of the device; null if the browser has none. */
function createNativeShare({ video, page }: Player, readUrl: () => string) {
	if (!('share' in navigator)) return null
	return createElement('button', {
		class: 'text-button primary native-share',
		type: 'button',
		text: page.messages.shareWithApp,
		// The promise also rejects when the viewer closes the menu.
		on: { click: () => void navigator.share({ title: video.title, url: readUrl() }).catch(() => undefined) },
	})
}

function copyField(label: string, messages: Player['page']['messages']) {
	const field = createElement('textarea', {
		attributes: { readonly: '', rows: '2', dir: 'ltr', 'aria-label': label },
	})
	const button = createElement('button', { class: 'text-button', type: 'button', text: messages.copy })
	// The text stays selected, for viewers who copy it themselves.
	button.addEventListener('click', () => field.select())
	copyOnClick(button, () => field.value, messages.copied)
	const row = createElement('div', { class: 'copy-field' }, [
		createElement('span', { text: label }),
		field,
		button,
	])
	return { row, field }
}
