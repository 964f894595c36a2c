import { DAY } from '../../../platform/clock.ts'
import type { BackupReason } from '../format/manifest.ts'

export type KeptBackup = {
	id: string
	reason: BackupReason
	startedAt: number
	schemaHash: string | null
	verifiedAt: number | null
	drillError: string | null
}

const DAYS = 7
const WEEKS = 5
const MONTHS = 12
/**
 * Backups are deleted only while this many are younger than a quarter of the limit, or than a week if that is longer.
 * Otherwise the clock is ahead or backups fail, and the older ones are still needed. A machine that is on once a week
 * has enough.
 */
const RECENT = 3

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
const monthOf = (at: number): string => dayOf(at).slice(0, 7)
/** 1970 began on a Thursday; weeks begin on Monday. */
const weekOf = (at: number): string => String(Math.floor((at / DAY + 3) / 7))

/**
 * Returns the ids of backups to delete. Kept are the newest of each of the last 7 days, 5 weeks and 12 months that have
 * one, the last one before each migration, and the newest that a drill has verified. One that failed its drill counts
 * only for a period without another. All are deleted before they are `keepDays` old.
 */
export function listExpiredBackups(backups: readonly KeptBackup[], now: number, keepDays: number): string[] {
	// A backup dated in the future was made while the clock was ahead. It replaces no other backup, and is deleted as soon as
	// there are three recent ones.
	const isFuture = ({ startedAt }: KeptBackup) => startedAt > now + DAY
	const newestFirst = backups.filter((each) => !isFuture(each)).toSorted((a, b) => b.startedAt - a.startedAt)
	const recentMs = Math.max(DAYS, keepDays / 4) * DAY
	if (newestFirst.filter(({ startedAt }) => now - startedAt < recentMs).length < RECENT) return []
	const kept = new Set(keptOf(newestFirst, now, keepDays))
	return backups.flatMap(({ id }) => (kept.has(id) ? [] : [id]))
}

/**
 * Returns the ids of backups that are older than the ledger of erasures, whose restore would bring erased people back.
 */
export const listOutlivedBackups = (
	backups: readonly KeptBackup[],
	now: number,
	ledgerDays: number,
): string[] => backups.flatMap(({ id, startedAt }) => (isYoung(startedAt, now, ledgerDays) ? [] : [id]))

/** Retention runs once a day, so a backup could otherwise get a day older. */
const isYoung = (startedAt: number, now: number, keepDays: number): boolean =>
	now - startedAt < (keepDays - 1) * DAY

function keptOf(newestFirst: readonly KeptBackup[], now: number, keepDays: number): string[] {
	const young = newestFirst.filter(({ startedAt }) => isYoung(startedAt, now, keepDays))
	const soundFirst = [
		...young.filter(({ drillError }) => drillError === null),
		...young.filter(({ drillError }) => drillError !== null),
	]
	return [
		...newestOfEach(soundFirst, ({ startedAt }) => dayOf(startedAt), DAYS),
		...newestOfEach(soundFirst, ({ startedAt }) => weekOf(startedAt), WEEKS),
		...newestOfEach(soundFirst, ({ startedAt }) => monthOf(startedAt), MONTHS),
		...newestOfEach(
			soundFirst.filter(({ reason }) => reason === 'migration'),
			({ id, schemaHash }) => schemaHash ?? id,
			Number.POSITIVE_INFINITY,
		),
		...newestOfEach(
			young.filter(({ verifiedAt, drillError }) => verifiedAt !== null && drillError === null),
			() => 'verified',
			1,
		),
	]
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
