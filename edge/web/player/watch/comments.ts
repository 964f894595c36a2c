import { formatClock } from '#schema/contract/kit/clock.ts'
import type { ModeratedComment } from '#schema/contract/watch/comments.ts'
import type { WatchPage } from '#schema/contract/watch/player-page.ts'
import { callApi, RequestError } from '../../parts/api.ts'
import { createElement } from '../../parts/elements.ts'
import { fillPlaceholders } from '../../parts/fill.ts'
import type { Player } from '../player.ts'
import { computeHue, formatInitials } from './avatar.ts'
import { showMarkers } from './comment-markers.ts'
import { formatRelativeTime } from './relative-time.ts'
import { buildViewerPath } from './viewer-path.ts'

type Comment = Omit<ModeratedComment, 'hidden'>

const PAGE_SIZE = 20

/** Shows the comments below the video and lets viewers write. Comments about a moment lead there. */
export function showComments(player: Player, { messages }: WatchPage): void {
	const section = document.querySelector<HTMLElement>('.comments')
	const form = section?.querySelector('form')
	const list = section?.querySelector('ol')
	const note = section?.querySelector('.comment-note')
	const more = section?.querySelector<HTMLButtonElement>('.more')
	if (!section || !form || !list || !note || !more) return
	section.hidden = false
	const shown: Comment[] = []
	let nextCursor: string | null = null

	const show = (comments: readonly Comment[], place: 'first' | 'last') => {
		const items = comments.map((comment) => commentItem(comment, player, messages))
		if (place === 'first') list.prepend(...items)
		else list.append(...items)
		shown.push(...comments)
		note.textContent = shown.length === 0 ? messages.noComments : ''
		showMarkers(player, shown)
	}
	const load = async () => {
		more.disabled = true
		try {
			const query = { limit: String(PAGE_SIZE), ...(nextCursor && { cursor: nextCursor }) }
			const page = await callApi<Comment[]>(buildViewerPath(player, 'comments', query))
			nextCursor = page.nextCursor
			more.textContent = messages.moreComments
			more.hidden = nextCursor === null
			show(page.data, 'last')
		} catch {
			note.textContent = messages.loadFailed
			more.textContent = messages.tryAgain
			more.hidden = false
		}
		more.disabled = false
	}
	more.addEventListener('click', () => void load())
	connectForm(form, player, messages, (comment) => show([comment], 'first'))
	void load()
}

function commentItem(
	{ authorName, body, timestampSec, createdAt }: Comment,
	player: Player,
	messages: WatchPage['messages'],
) {
	const { language } = player.page
	const date = new Date(createdAt)
	const when = formatRelativeTime(date.getTime() - Date.now(), language)
	const exactly = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' }).format(date)
	const avatar = createElement('span', {
		class: 'avatar',
		text: formatInitials(authorName),
		attributes: { 'aria-hidden': 'true' },
	})
	avatar.style.setProperty('--hue', String(computeHue(authorName)))
	const jump =
		timestampSec === null
			? null
			: createElement('button', {
					class: 'moment',
					type: 'button',
					text: formatClock(timestampSec),
					attributes: {
						'aria-label': fillPlaceholders(messages.playFrom, { time: formatClock(timestampSec) }),
					},
					on: {
						click: () => {
							player.playFrom(timestampSec)
						},
					},
				})
	return createElement('li', {}, [
		avatar,
		createElement('p', { class: 'comment-head' }, [
			createElement('strong', { text: authorName, attributes: { dir: 'auto' } }),
			' ',
			createElement('time', { text: when, attributes: { datetime: createdAt, title: exactly } }),
			' ',
			jump,
		]),
		createElement('p', { class: 'comment-body', text: body, attributes: { dir: 'auto' } }),
	])
}

function connectForm(
	form: HTMLFormElement,
	player: Player,
	messages: WatchPage['messages'],
	onPosted: (comment: Comment) => void,
): void {
	const at = form.querySelector<HTMLInputElement>('[name=at]')
	const atLabel = form.querySelector('.at span')
	const status = form.querySelector('.status')
	const button = form.querySelector('button')
	const text = form.querySelector('textarea')
	if (!at || !atLabel || !status || !button || !text) return
	const showTime = () => {
		atLabel.textContent = fillPlaceholders(messages.commentAt, { time: formatClock(player.currentTime()) })
	}
	for (const event of ['timeupdate', 'seeking']) player.media.addEventListener(event, showTime)
	showTime()
	form.addEventListener('submit', async (event) => {
		event.preventDefault()
		const fields = new FormData(form)
		const timestampSec = at.checked ? Math.min(player.currentTime(), player.video.durationSec) : null
		button.disabled = true
		try {
			const { data } = await callApi<Comment>(buildViewerPath(player, 'comments'), {
				authorName: String(fields.get('authorName')),
				body: String(fields.get('body')),
				timestampSec,
			})
			text.value = ''
			status.textContent = messages.commentPosted
			onPosted(data)
		} catch (error) {
			const isTooMany = error instanceof RequestError && error.status === 429
			status.textContent = isTooMany ? messages.tooMany : messages.commentFailed
		}
		button.disabled = false
	})
}
