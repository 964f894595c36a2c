import { copyOnClick } from '../../parts/copy.ts'
import { createElement } from '../../parts/elements.ts'
import { fillPlaceholders } from '../../parts/fill.ts'
import type { Problem } from '../playback/engine-types.ts'
import type { Player } from '../player.ts'

/** How long a video may stall before the viewer is told why. */
const STALL_MS = 3_000

type Notice = 'offline' | 'stalled' | Problem

/** Explains why the video does not play, and what to do. Disappears when playback continues. */
export function createProblemNotice(player: Player): HTMLElement {
	const { media, page } = player
	const { messages } = page
	const retryPlaying = () => {
		const engine = player.engine()
		// The page may be older than the files of the player on the server.
		if (!engine) return location.reload()
		engine.retry()
		void player.play().catch(() => undefined)
	}
	const heading = createElement('p', { class: 'notice-text' })
	const help = createElement('p', { class: 'notice-help' })
	const retry = createElement('button', {
		class: 'text-button',
		type: 'button',
		text: messages.retry,
		on: { click: retryPlaying },
	})
	const root = createElement('div', { class: 'notice', hidden: true, attributes: { role: 'alert' } }, [
		heading,
		help,
		createElement('div', { class: 'notice-actions' }, [retry, createReportId(page)]),
	])
	const texts: Record<Notice, [text: string, help: string, canRetry: boolean]> = {
		offline: [messages.offline, '', false],
		stalled: [messages.stalled, '', true],
		reconnecting: [messages.reconnecting, '', true],
		missing: [messages.missing, '', true],
		'changing-codec': [messages.decodeError, '', false],
		expired: [messages.expired, messages.expiredHelp, false],
		failed: [messages.failed, messages.failedHelp, true],
	}
	let problem: Problem | null = null
	let isStalled = false
	let stallTimer: number | undefined

	const show = () => {
		const notice = noticeFor()
		root.hidden = notice === null
		root.dataset.notice = notice ?? ''
		if (notice === null) return
		const [text, more, canRetry] = texts[notice]
		heading.textContent = text
		help.textContent = more
		retry.hidden = !canRetry
	}
	const noticeFor = (): Notice | null => {
		if (problem === 'failed') return problem
		// While there is buffered video, a lost connection or token does not matter yet.
		if (problem !== null && isPlaying()) return null
		if ((problem !== null || isStalled) && !navigator.onLine) return 'offline'
		return problem ?? (isStalled ? 'stalled' : null)
	}
	const isPlaying = () => !media.paused && media.readyState > HTMLMediaElement.HAVE_CURRENT_DATA
	const endStall = () => {
		window.clearTimeout(stallTimer)
		stallTimer = undefined
		isStalled = false
		show()
	}
	media.addEventListener('waiting', () => {
		stallTimer ??= window.setTimeout(() => {
			isStalled = true
			show()
		}, STALL_MS)
		show()
	})
	for (const event of ['playing', 'pause', 'seeked', 'ended']) media.addEventListener(event, endStall)
	for (const event of ['online', 'offline']) window.addEventListener(event, show)
	player.on('problem', (next) => {
		problem = next
		show()
	})
	return root
}

/** A code for support, with a button that copies it. */
export function createReportId({ messages, reportId: id }: Player['page']): HTMLElement {
	const copy = createElement('button', { class: 'text-button', type: 'button', text: messages.copy })
	copyOnClick(copy, () => id, messages.copied)
	return createElement('span', { class: 'report' }, [
		createElement('span', { text: fillPlaceholders(messages.reportId, { id }) }),
		copy,
	])
}
