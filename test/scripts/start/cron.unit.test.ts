import { expect, test } from 'vitest'
import { listDueCrons, startCron } from '../../../scripts/start/cron.ts'

const isDue = (expression: string, at: string) => listDueCrons([expression], new Date(at)).length === 1

test.each([
	['* * * * *', '2026-03-01T00:00:00Z', true],
	['17 3 * * *', '2026-03-01T03:17:00Z', true],
	['17 3 * * *', '2026-03-01T03:18:00Z', false],
	['17 3 * * *', '2026-03-01T15:17:00Z', false],
	['*/15 * * * *', '2026-03-01T08:45:00Z', true],
	['*/15 * * * *', '2026-03-01T08:46:00Z', false],
	['0 9-17 * * *', '2026-03-01T17:00:00Z', true],
	['0 0 1 1,7 *', '2026-07-01T00:00:00Z', true],
	['0 0 L * *', '2026-02-28T00:00:00Z', true],
])('the scheduler decides whether %s is due at %s: %s', (expression, at, expected) => {
	expect(isDue(expression, at)).toBe(expected)
})

test('the scheduler counts weekdays from Sunday as 1, as Cloudflare does', () => {
	const sunday = '2026-03-01T00:00:00Z'
	const monday = '2026-03-02T00:00:00Z'
	const saturday = '2026-03-07T00:00:00Z'
	expect(isDue('0 0 * * 1', sunday)).toBe(true)
	expect(isDue('0 0 * * 1', monday)).toBe(false)
	expect(isDue('0 0 * * 2', monday)).toBe(true)
	expect(isDue('0 0 * * 7', saturday)).toBe(true)
	expect(isDue('0 0 * * MON', monday)).toBe(true)
	expect(isDue('0 0 * * 2-6', saturday)).toBe(false)
})

test('the scheduler uses UTC, whatever the time zone of the machine is', () => {
	expect(isDue('30 2 * * *', '2026-03-29T02:30:00Z')).toBe(true)
	expect(isDue('30 2 * * *', '2026-03-29T02:30:00+02:00')).toBe(false)
})

test('runs the tasks of each minute also at startup', () => {
	const fired: string[] = []
	startCron(
		() => ['17 3 * * *', '* * * * *'],
		(cron) => fired.push(cron),
	)[Symbol.dispose]()
	expect(fired).toEqual(['* * * * *'])
})
