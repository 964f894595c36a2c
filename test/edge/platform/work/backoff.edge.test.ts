import { sql } from 'drizzle-orm'
import { beforeEach, expect, test } from 'vitest'
import { backoffSql, computeBackoffMs } from '../../../../edge/platform/work/backoff.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'

let world: World
beforeEach(async () => {
	world = await openWorld()
})

test('a wait doubles up to its limit, in a statement as in code', async () => {
	const backoff = { firstMs: 1_000, maxMs: 60_000 }
	const doublings = [0, 1, 5, 6, 63, 1_000]
	const rows = await world.deps(({ db }) =>
		db.all<{ ms: number }>(
			sql`select ${backoffSql(backoff, sql`value`)} as ms from json_each(${JSON.stringify(doublings)})`,
		),
	)
	expect(rows.map(({ ms }) => ms)).toEqual([1_000, 2_000, 32_000, 60_000, 60_000, 60_000])
	expect(doublings.map((times) => computeBackoffMs(backoff, times))).toEqual(rows.map(({ ms }) => ms))
})
