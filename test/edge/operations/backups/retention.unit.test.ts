import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
	type KeptBackup,
	listExpiredBackups,
	listOutlivedBackups,
} from '../../../../edge/operations/backups/keep/retention.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2037, 10, 21, 3, 17)

const daily = (day: number): KeptBackup => ({
	id: `day ${day}`,
	reason: 'daily',
	startedAt: NOW - day * DAY,
	schemaHash: 'a',
	verifiedAt: null,
	drillError: null,
})

/** Makes a backup each day and deletes what has expired, as an installation does. */
function liveThrough(days: number, keepDays: number): KeptBackup[] {
	let kept: KeptBackup[] = []
	for (let day = days; day >= 0; day--) {
		kept.push(daily(day))
		const expired = new Set(listExpiredBackups(kept, NOW - day * DAY, keepDays))
		kept = kept.filter(({ id }) => !expired.has(id))
	}
	return kept.reverse()
}
const agesOf = (kept: readonly KeptBackup[]) => kept.map(({ startedAt }) => (NOW - startedAt) / DAY)

describe('kept backups', () => {
	test('the retention keeps seven daily, five weekly and twelve monthly backups after years', () => {
		const ages = agesOf(liveThrough(1_000, 365))
		expect(ages.slice(0, 7)).toEqual([0, 1, 2, 3, 4, 5, 6])
		expect(ages.filter((age) => age >= 7 && age < 35).length).toBeGreaterThanOrEqual(3)
		expect(ages.at(-1)).toBeGreaterThan(300)
		expect(ages.length).toBeLessThanOrEqual(7 + 5 + 12)
	})

	test('the newest backup that a drill verified is kept', () => {
		const verified = { ...daily(19), verifiedAt: NOW - 18 * DAY }
		const others = Array.from({ length: 40 }, (_, day) => daily(day)).filter(({ id }) => id !== verified.id)
		const expired = listExpiredBackups([...others, verified], NOW, 365)
		expect(expired).not.toContain(verified.id)
		expect(expired).toContain('day 18')
	})

	test('kept backups are always younger than the limit', () => {
		for (const keepDays of [7, 30, 100, 365]) {
			const ages = agesOf(liveThrough(800, keepDays))
			expect(Math.max(...ages)).toBeLessThan(keepDays - 1)
		}
		const old: KeptBackup = { ...daily(100), reason: 'migration' }
		expect(listExpiredBackups([daily(0), daily(1), daily(2), old], NOW, 100)).toEqual([old.id])
	})

	test('all backups are kept while fewer than three are recent, as after a jump of the clock', () => {
		const backups = liveThrough(100, 365)
		const later = NOW + 400 * DAY
		expect(listExpiredBackups(backups, later, 365)).toEqual([])
		const isNew = (day: number): KeptBackup => ({ ...daily(-400 - day), id: `new ${day}` })
		expect(listExpiredBackups([...backups, isNew(0), isNew(1)], later + DAY, 365)).toEqual([])
		const expired = listExpiredBackups([...backups, isNew(0), isNew(1), isNew(2)], later + 2 * DAY, 365)
		expect(expired).toHaveLength(backups.length)
	})

	test('backups expire even where the machine is on once in three weeks', () => {
		const backups = Array.from({ length: 30 }, (_, at) => daily(at * 21))
		const expired = listExpiredBackups(backups, NOW, 365)
		expect(expired).toContain('day 378')
		expect(expired).toContain('day 609')
		expect(expired).not.toContain('day 0')
	})

	test('backups with dates in the future replace no others', () => {
		const backups = Array.from({ length: 8 }, (_, day) => daily(day))
		const ahead = Array.from({ length: 8 }, (_, day) => daily(-100 - day))
		const expired = listExpiredBackups(backups, NOW, 365)
		expect(listExpiredBackups([...backups, ...ahead], NOW, 365)).toEqual([
			...expired,
			...ahead.map(({ id }) => id),
		])
		expect(listExpiredBackups([...ahead, daily(0)], NOW, 365)).toEqual([])
	})

	test('sound backups are kept in place of damaged ones of the same period', () => {
		const failed = (day: number, id: string): KeptBackup => ({ ...daily(day), id, drillError: 'damaged' })
		const backups = [...[0, 1, 2, 3, 4, 5].map(daily), { ...daily(6), startedAt: NOW - 6 * DAY - 1 }]
		const expired = listExpiredBackups([...backups, failed(6, 'newer'), failed(0.01, 'newest')], NOW, 365)
		expect(expired.toSorted()).toEqual(['newer', 'newest'])
	})

	test('backups older than a shortened erasure ledger are deleted, even where no more are made', () => {
		expect(listOutlivedBackups([daily(0), daily(28), daily(29), daily(400)], NOW, 30)).toEqual([
			'day 29',
			'day 400',
		])
	})

	test('the last backup before each migration is kept', () => {
		const migrated = (day: number, schemaHash: string): KeptBackup => ({
			...daily(day),
			id: `${schemaHash} ${day}`,
			reason: 'migration',
			schemaHash,
		})
		const backups = [
			...Array.from({ length: 90 }, (_, day) => daily(day)),
			migrated(33.1, 'old'),
			migrated(33.2, 'old'),
			migrated(20.1, 'new'),
		]
		const expired = listExpiredBackups(backups, NOW, 365)
		expect(expired).toContain('old 33.2')
		expect(expired).not.toContain('old 33.1')
		expect(expired).not.toContain('new 20.1')
	})

	test('the newest backup is always kept', () => {
		const backups = fc.array(fc.integer({ min: 0, max: 363 }).map(daily), { minLength: 1 })
		fc.assert(
			fc.property(backups, (all) => {
				const newest = all.toSorted((a, b) => b.startedAt - a.startedAt)[0]
				expect(listExpiredBackups(all, NOW, 365)).not.toContain(newest?.id)
			}),
		)
	})
})
