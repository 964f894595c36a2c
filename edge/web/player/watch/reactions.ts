import type { WatchPage } from '#schema/contract/watch/player-page.ts'
import { callApi } from '../../parts/api.ts'
import { fillPlaceholders } from '../../parts/fill.ts'
import type { Player } from '../player.ts'
import { buildViewerPath } from './viewer-path.ts'

type Reactions = { counts: Record<string, number>; userReactions: string[] }

/** Shows how many people chose each reaction, and lets the viewer choose. */
export function showReactions(player: Player, { messages }: WatchPage): void {
	const { preferences } = player
	const buttons = [...document.querySelectorAll<HTMLButtonElement>('.reaction')]
	const status = document.querySelector('.actions .status')

	const show = ({ counts, userReactions }: Reactions) => {
		for (const button of buttons) {
			const emoji = button.dataset.emoji ?? ''
			const count = counts[emoji] ?? 0
			button.setAttribute('aria-pressed', String(userReactions.includes(emoji)))
			button.setAttribute('aria-label', fillPlaceholders(messages.reaction, { emoji, count }))
			const number = button.querySelector('span')
			if (number)
				number.textContent = count > 0 ? new Intl.NumberFormat(player.page.language).format(count) : ''
		}
	}
	for (const button of buttons)
		button.addEventListener('click', async () => {
			preferences.allowStorage()
			const sessionId = preferences.read().sessionId ?? crypto.randomUUID()
			preferences.change({ sessionId })
			try {
				const emoji = button.dataset.emoji ?? ''
				show((await callApi<Reactions>(buildViewerPath(player, 'reactions'), { emoji, sessionId })).data)
				if (status) status.textContent = ''
			} catch {
				if (status) status.textContent = messages.reactionFailed
			}
		})
	const { sessionId } = preferences.read()
	callApi<Reactions>(buildViewerPath(player, 'reactions', sessionId ? { sessionId } : {})).then(
		({ data }) => show(data),
		() => undefined,
	)
}
