import type { PlayerPage } from '#schema/contract/video/player-page.ts'
import { fill } from '../../parts/fill.ts'
import { copyText } from './notice.ts'

const LOOK_AGAIN_SEC = [10, 20, 40]

/** Runs the page of a video that is not available: it looks again a few times and turns into the player. */
export function runFailurePage({ messages, failure, reportId }: PlayerPage): void {
	const copy = document.querySelector<HTMLButtonElement>('.copy')
	if (copy) {
		copy.hidden = false
		copy.addEventListener(
			'click',
			() => void copyText(reportId).then(() => (copy.textContent = messages.copied)),
		)
	}
	if (failure === 'unavailable') void lookAgain(messages.lookingAgain)
}

async function lookAgain(message: string): Promise<void> {
	const status = document.querySelector('.again')
	for (const wait of LOOK_AGAIN_SEC) {
		if (status) status.textContent = fill(message, { seconds: wait })
		await new Promise((resolve) => window.setTimeout(resolve, wait * 1_000))
		const response = await fetch(location.href, { method: 'HEAD' }).catch(() => null)
		if (response?.ok) return location.reload()
	}
	if (status) status.textContent = ''
}
