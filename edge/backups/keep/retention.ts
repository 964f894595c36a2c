import { DAY } from '../../platform/clock.ts'
import type { BackupReason } from '../format/manifest.ts'

export type KeptBackup = {
	id: string
	reason: BackupReason
	startedAt: number
	schemaHash: string | null
	verifiedAt: number | null
}

const DAYS = 7
const WEEKS = 5
const MONTHS = 12

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
const monthOf = (at: number): string => dayOf(at).slice(0, 7)
/** 1970 began on a Thursday; weeks begin on Monday. */
const weekOf = (at: number): string => String(Math.floor((at / DAY + 3) / 7))

/**
 * Returns the ids of backups to delete: all but the newest of each of the last 7 days, 5 weeks and 12 months that have
 * one, the last one before each migration, and the newest that a drill has verified. None is kept for `keepDays`.
 */
export function expiredBackups(backups: readonly KeptBackup[], now: number, keepDays: number): string[] {
	const newestFirst = backups.toSorted((a, b) => b.startedAt - a.startedAt)
	// Retention runs once a day, so a backup could otherwise get a day older.
	const young = newestFirst.filter(({ startedAt }) => now - startedAt < (keepDays - 1) * DAY)
	const kept = new Set([
		...newestOfEach(young, ({ startedAt }) => dayOf(startedAt), DAYS),
		...newestOfEach(young, ({ startedAt }) => weekOf(startedAt), WEEKS),
		...newestOfEach(young, ({ startedAt }) => monthOf(startedAt), MONTHS),
		...newestOfEach(
			young.filter(({ reason }) => reason === 'migration'),
			({ id, schemaHash }) => schemaHash ?? id,
			Number.POSITIVE_INFINITY,
		),
		...newestOfEach(
			young.filter(({ verifiedAt }) => verifiedAt !== null),
			() => 'verified',
			1,
		),
	])
	return newestFirst.flatMap(({ id }) => (kept.has(id) ? [] : [id]))
}

function newestOfEach(
	newestFirst: readonly KeptBackup[],
	periodOf: (backup: KeptBackup) => string,
	periods: number,
): string[] {
	const newest = new Map<string, string>()
	for (const backup of newestFirst) {
		const period = periodOf(backup)
		if (!newest.has(period) && newest.size < periods) newest.set(period, backup.id)
	}
	return [...newest.values()]
}
