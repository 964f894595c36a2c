import { Cron } from 'croner'

const MINUTE_MS = 60_000
const EACH_MINUTE = '* * * * *'

/** Returns the expressions that are due in a minute. As on Cloudflare, times are UTC and weekday 1 is Sunday. */
export function listDueCrons(expressions: readonly string[], minute: Date): string[] {
	return expressions.filter((expression) =>
		new Cron(expression, { timezone: 'UTC', alternativeWeekdays: true, paused: true }).match(minute),
	)
}

/**
 * Calls `fire` at the start of each minute. The tasks of each minute also run at once, because requests to a restored
 * database wait until they have repaired it. Minutes missed during sleep are skipped; Cloudflare gives the same
 * guarantee, and every scheduled task catches up by itself.
 */
export function startCron(
	expressions: () => readonly string[],
	fire: (cron: string, scheduledFor: Date) => void,
): Disposable {
	if (expressions().includes(EACH_MINUTE)) fire(EACH_MINUTE, new Date())
	let timer: NodeJS.Timeout
	const scheduleNext = () => {
		const next = (Math.floor(Date.now() / MINUTE_MS) + 1) * MINUTE_MS
		timer = setTimeout(() => {
			// A timer may fire early; then wait for this minute again.
			if (Date.now() >= next) {
				const minute = new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS)
				for (const cron of listDueCrons(expressions(), minute)) fire(cron, minute)
			}
			scheduleNext()
		}, next - Date.now())
	}
	scheduleNext()
	return { [Symbol.dispose]: () => clearTimeout(timer) }
}
