import { DAY } from '../../platform/clock.ts'

export const GRACE_MS = 30 * DAY

type Timed = { status: string; scheduledFor: number }

/** Returns the whole days left, or 0 if no deletion is scheduled. */
export const daysRemaining = ({ status, scheduledFor }: Timed, now: number): number =>
	status === 'confirmed' ? Math.max(0, Math.floor((scheduledFor - now) / DAY)) : 0

export type ReminderKind = '7_day' | 'final'
export const reminderKinds: readonly ReminderKind[] = ['7_day', 'final']

/**
 * Returns the deletion times for which a reminder is due, from (inclusive) until (exclusive). The daily job normally
 * reminds at 7 days left. After a missed run, the first reminder may come late, down to 2 days. The final one is due
 * from 1 day on, however late.
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
