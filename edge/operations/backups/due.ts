import { DAY, HOUR } from '../../platform/clock.ts'
import type { BackupRow } from './store.ts'

/** The nightly backup counts as missed once the previous one is older than a day plus an hour for the cron trigger. */
const MISSED_MS = DAY + HOUR
/** The delay before the next backup after a failed one. */
const REST_MS = 3 * HOUR

/** Only backups from this period decide whether one was missed. */
export const LOOK_BACK_MS = 2 * DAY

/** Returns whether the daily backup was missed, for example because the machine was off at night. */
export function isDailyBackupMissed(
	recent: readonly Pick<BackupRow, 'reason' | 'state' | 'startedAt' | 'finishedAt'>[],
	now: number,
): boolean {
	return (
		recent
			// A future instant means that the clock was ahead.
			.filter(({ reason, startedAt }) => reason === 'daily' && startedAt <= now + HOUR)
			.every(({ state, startedAt, finishedAt }) =>
				state === 'failed' ? now - (finishedAt ?? startedAt) >= REST_MS : now - startedAt >= MISSED_MS,
			)
	)
}
