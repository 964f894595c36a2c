import type { PlayerPage } from '#schema/contract/watch/player-page.ts'
import { copyOnClick } from '../../parts/copy.ts'
import { fillPlaceholders } from '../../parts/fill.ts'

const RETRY_SEC = [10, 20, 40]

/** Runs the page of an unavailable video: retries a few times and turns into the player. */
export function runFailurePage({ messages, failure, reportId }: PlayerPage): void {
	const copy = document.querySelector<HTMLButtonElement>('.copy')
	if (copy) {
		copy.hidden = false
		copyOnClick(copy, () => reportId, messages.copied)
	}
	if (failure === 'unavailable') void retry(messages.nextAttempt)
}

async function retry(message: string): Promise<void> {
	const status = document.querySelector('.again')
	for (const [at, wait] of RETRY_SEC.entries()) {
		// These attempts were made before the page was loaded again.
		if (at < attemptsBefore()) continue
		if (status) status.textContent = fillPlaceholders(message, { seconds: wait })
		await new Promise((resolve) => window.setTimeout(resolve, wait * 1_000))
		if (!navigator.onLine) continue
		const response = await fetch(location.href, { method: 'HEAD' }).catch(() => null)
		// A sandboxed frame may not fetch its own page, so it reloads.
		if (response === null || response.ok) return reload(at + 1)
	}
	if (status) status.textContent = ''
}

const ATTEMPTS = /&attempts=(\d+)$/

/** Reloads the page. The number of attempts is in the URL, because nothing else survives a reload in such a frame. */
function reload(attempts: number): void {
	location.replace(`#${location.hash.replace(ATTEMPTS, '').slice(1)}&attempts=${attempts}`)
	location.reload()
}

const attemptsBefore = (): number => Number(ATTEMPTS.exec(location.hash)?.[1] ?? 0)
