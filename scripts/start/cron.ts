import { Cron } from 'croner'

const MINUTE_MS = 60_000

/** Which expressions are due in a minute. As on Cloudflare: UTC, and 1 is Sunday. */
export function dueCrons(expressions: readonly string[], minute: Date): string[] {
	return expressions.filter((expression) =>
		new Cron(expression, { timezone: 'UTC', alternativeWeekdays: true, paused: true }).match(minute),
	)
}

/**
 * Fires at the turn of each minute. Minutes that were slept through are not made up for; the platform promises no
 * more than this either, and every task catches up by itself.
 */
export function startCron(
	expressions: readonly string[],
	fire: (cron: string, scheduledFor: Date) => void,
): Disposable {
	let timer: NodeJS.Timeout
	const arm = () => {
		const next = (Math.floor(Date.now() / MINUTE_MS) + 1) * MINUTE_MS
		timer = setTimeout(() => {
			// Timers may come a little early: then this minute is waited for once more.
			if (Date.now() >= next) {
				const minute = new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS)
				for (const cron of dueCrons(expressions, minute)) fire(cron, minute)
			}
			arm()
		}, next - Date.now())
	}
	arm()
	return { [Symbol.dispose]: () => clearTimeout(timer) }
}
