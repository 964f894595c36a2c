import { DAY } from '../../../platform/clock.ts'

export const GRACE_MS = 30 * DAY

type Timed = { status: string; scheduledFor: number }

/** Returns the whole days left, or 0 if no deletion is scheduled. */
export const computeDaysRemaining = ({ status, scheduledFor }: Timed, now: number): number =>
	status === 'confirmed' ? Math.max(0, Math.floor((scheduledFor - now) / DAY)) : 0

export type ReminderKind = '7_day' | 'final'
export const reminderKinds: readonly ReminderKind[] = ['7_day', 'final']

/**
 * Returns the range of deletion times for which a reminder is due, `from` inclusive and `until` exclusive. The daily run
 * normally sends the first reminder when 7 days are left; after missed runs it may be late, until 2 days are left. The
 * final reminder is due from 1 whole day left on, however late.
 */
export function computeDueWindow(kind: ReminderKind, now: number): { from: number; until: number } {
	return kind === '7_day'
		? { from: now + 2 * DAY, until: now + 8 * DAY }
		: { from: Number.MIN_SAFE_INTEGER, until: now + 2 * DAY }
}

export function isDue(kind: ReminderKind, scheduledFor: number, now: number): boolean {
	const { from, until } = computeDueWindow(kind, now)
	return scheduledFor >= from && scheduledFor < until
}
