import { DAY, HOUR } from '../../platform/clock.ts'
import type { BackupRow } from './store.ts'

/** The backup of a night is missed once the one before is older than a day, and the cron trigger had time to fire. */
const MISSED_MS = DAY + HOUR
/** How long to wait after a backup that failed. */
const REST_MS = 3 * HOUR

/** Older backups don't decide whether one was missed. */
export const LOOK_BACK_MS = 2 * DAY

/** Returns whether the daily backup was missed, for example because the machine was off at night. */
export function isDailyBackupMissed(
	recent: readonly Pick<BackupRow, 'reason' | 'state' | 'startedAt' | 'finishedAt'>[],
	now: number,
): boolean {
	return (
		recent
			// One from the future was made while the clock was ahead.
			.filter(({ reason, startedAt }) => reason === 'daily' && startedAt <= now + HOUR)
			.every(({ state, startedAt, finishedAt }) =>
				state === 'failed' ? now - (finishedAt ?? startedAt) >= REST_MS : now - startedAt >= MISSED_MS,
			)
	)
}
