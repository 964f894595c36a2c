import { DAY } from '../platform/clock.ts'

export const GRACE_MS = 30 * DAY

type Timed = { status: string; scheduledFor: number }

/** Whole days that are left; 0 for whatever is not going to happen. */
export const daysRemaining = ({ status, scheduledFor }: Timed, now: number): number =>
	status === 'confirmed' ? Math.max(0, Math.floor((scheduledFor - now) / DAY)) : 0

export type ReminderKind = '7_day' | 'final'
export const reminderKinds: readonly ReminderKind[] = ['7_day', 'final']

/**
 * Which accounts are due for a reminder, by when they go: from (inclusive) until (exclusive). The daily job meets
 * everyone when 7 days remain. Someone it finds without that reminder at 6 to 2 days was missed by a run that did
 * not happen, and is told late. The final one is due from 1 day on, however late that is found out.
 */
export function dueWindow(kind: ReminderKind, now: number): { from: number; until: number } {
	return kind === '7_day'
		? { from: now + 2 * DAY, until: now + 8 * DAY }
		: { from: Number.MIN_SAFE_INTEGER, until: now + 2 * DAY }
}

export function isDue(kind: ReminderKind, scheduledFor: number, now: number): boolean {
	const { from, until } = dueWindow(kind, now)
	return scheduledFor >= from && scheduledFor < until
}
