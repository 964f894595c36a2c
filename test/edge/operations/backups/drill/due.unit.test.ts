import { expect, test } from 'vitest'
import { chooseBackupToVerify } from '../../../../../edge/operations/backups/drill/due.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2037, 10, 21)

const backup = (id: string, drilled: { verified?: number; tried?: number } = {}) => ({
	id,
	verifiedAt: drilled.verified === undefined ? null : NOW - drilled.verified * DAY,
	drilledAt: drilled.tried === undefined ? null : NOW - drilled.tried * DAY,
})
const next = (...newestFirst: ReturnType<typeof backup>[]) =>
	chooseBackupToVerify(newestFirst, NOW, 7)?.id ?? null

test('the newest backup is due for a drill if none was within the last days', () => {
	expect(next()).toBeNull()
	expect(next(backup('b'), backup('a'))).toBe('b')
	expect(next(backup('b'), backup('a', { verified: 7, tried: 7 }))).toBe('b')
	expect(next(backup('b'), backup('a', { verified: 6.9, tried: 6.9 }))).toBeNull()
})

test('a backup that a drill verified is not verified again', () => {
	expect(next(backup('a', { verified: 8, tried: 8 }))).toBeNull()
})

test('a drill with a date in the future, from a clock that was ahead, delays no other', () => {
	expect(next(backup('b'), backup('a', { verified: -300, tried: -300 }))).toBe('b')
})

test('a day after a failed drill, the newest backup is verified', () => {
	expect(next(backup('b'), backup('a', { tried: 0.9 }))).toBeNull()
	expect(next(backup('b'), backup('a', { tried: 1 }))).toBe('b')
	expect(next(backup('a', { verified: 9, tried: 1 }), backup('z'))).toBe('z')
})
