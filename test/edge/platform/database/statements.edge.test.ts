import { eq, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { jobs } from '#schema/tables/video/transcoding.ts'
import { batch } from '../../../../edge/platform/database/batch.ts'
import { buildReturningList, buildSelectList } from '../../../../edge/platform/database/columns.ts'
import { insertSelect } from '../../../../edge/platform/database/insert-select.ts'
import type { Deps } from '../../../../edge/platform/deps.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'

const options = { playback: {}, ai: {}, maxDurationSec: 5 } as typeof jobs.$inferSelect.requestedOptions
const job = (id: string) => ({
	id,
	assetId: `asset-${id}`,
	orgId: 'org',
	playbackId: 'p',
	status: 'queued' as const,
	playback: 'complete' as const,
	aiOptions: {} as typeof jobs.$inferSelect.aiOptions,
	requestedOptions: options,
	createdAt: 1,
	updatedAt: 1,
})

let world: World
beforeAll(async () => {
	world = await openWorld()
})
beforeEach(() => world.deps(({ db }) => db.delete(jobs)))

const withDb = <T>(run: (db: Deps['db']) => Promise<T>): Promise<T> => world.deps(({ db }) => run(db))

describe('batch', () => {
	it('a batch returns results by name, of single statements, lists and omitted statements', async () => {
		const results = await withDb((db) =>
			batch(db, {
				first: db.insert(jobs).values(job('a')).returning({ id: jobs.id }),
				leftOut: null,
				several: ['b', 'c'].map((id) => db.insert(jobs).values(job(id)).returning({ id: jobs.id })),
				none: [],
				last: db.select({ id: jobs.id }).from(jobs).orderBy(jobs.id),
			}),
		)
		expect(results).toEqual({
			first: [{ id: 'a' }],
			leftOut: undefined,
			several: [[{ id: 'b' }], [{ id: 'c' }]],
			none: [],
			last: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
		})
	})

	it('a batch runs the statements in their written order', async () => {
		const { changed, unchanged } = await withDb((db) =>
			batch(db, {
				inserted: db.insert(jobs).values(job('a')),
				changed: db.update(jobs).set({ orgId: 'other' }).where(sql`changes() = 1`).returning(),
				deleted: db.delete(jobs).where(eq(jobs.id, 'unknown')),
				unchanged: db.update(jobs).set({ orgId: 'third' }).where(sql`changes() = 1`).returning(),
			}),
		)
		expect([changed.length, unchanged.length]).toEqual([1, 0])
	})

	it('a batch changes nothing if one statement fails', async () => {
		const failing = withDb((db) =>
			batch(db, {
				inserted: db.insert(jobs).values(job('a')),
				repeated: db.insert(jobs).values(job('a')),
			}),
		)
		await expect(failing).rejects.toThrow()
		expect(await withDb((db) => db.select().from(jobs))).toEqual([])
	})

	it('a batch sends nothing if every statement is omitted', async () => {
		expect(await withDb((db) => batch(db, { one: null, two: [] }))).toEqual({ one: undefined, two: [] })
	})
})

describe('insertSelect', () => {
	it('insertSelect encodes values as their columns do, and fills in defaults and nulls', async () => {
		const [row] = await withDb((db) =>
			insertSelect(
				db,
				jobs,
				{ ...job('a'), orgId: sql`source.column1`, hwAccelUsed: true, leftOut: { av1: 'no machine' } },
				sql`from (values ('from the source')) as source`,
			).returning(),
		)
		expect(row).toEqual({
			...job('a'),
			orgId: 'from the source',
			hwAccelUsed: true,
			leftOut: { av1: 'no machine' },
			version: 0,
			publishedVersion: 0,
			...{
				info: null,
				plan: null,
				encoders: null,
				traceId: null,
				durationSec: null,
				allPublishedAt: null,
				advanceAt: null,
				workerKind: null,
			},
			...{ error: null, startedAt: null, plannedAt: null, endedAt: null },
		})
	})

	it('insertSelect inserts nothing if the condition does not hold', async () => {
		const rows = await withDb((db) => insertSelect(db, jobs, job('a'), sql`where 1 = 0`).returning())
		expect(rows).toEqual([])
	})
})

it('insertSelect selects and returns the same list of columns', async () => {
	type Row = { name: string; twice: number }
	const columns = { name: sql<string>`jobs.id`, twice: sql<number>`jobs.created_at * 2` }
	const [returned, selected] = await withDb(async (db) => {
		const inserted = await db.insert(jobs).values(job('a')).returning(buildReturningList<Row>(columns))
		return [inserted, await db.all<Row>(sql`select ${buildSelectList<Row>(columns)} from jobs`)]
	})
	expect(returned).toEqual([{ name: 'a', twice: 2 }])
	expect(selected).toEqual(returned)
})
