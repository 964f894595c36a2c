import { createClient } from '@libsql/client'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Entry } from '../../../../edge/operations/backups/format/lines.ts'
import type { Manifest } from '../../../../edge/operations/backups/format/manifest.ts'
import { compareWithBackup } from '../../../../scripts/operate/restore/compare.ts'
import { loadBackup } from '../../../../scripts/operate/restore/load.ts'
import { propertyRuns } from '../../../support/shared/property-runs.ts'

const columns = ['id', 'name']
const schema = [
	'CREATE TABLE a (id integer primary key autoincrement, name text)',
	'CREATE TABLE b (id integer, name text)',
	'CREATE UNIQUE INDEX a_name on a (name)',
]

/** What a backup reads one after another: a row, or that it was deleted. The same row is read often. */
const reads = fc.array(
	fc.record({
		table: fc.constantFrom('a', 'b'),
		rowid: fc.integer({ min: 1, max: 9 }),
		name: fc.option(fc.string({ maxLength: 3 })),
	}),
	{ maxLength: 12 },
)

test('a restore loads the last version of each row, however often chunks repeat, change or delete it', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(reads, { minLength: 1, maxLength: 5 }), async (chunks) => {
			const entries = chunks.map((chunk, at) =>
				chunk.map(
					({ table, rowid, name }, i): Entry => ({
						...{ table, columns, rowid },
						// The index allows each name once.
						values: name === null ? null : [rowid, `${name} ${at} ${i}`],
					}),
				),
			)
			const last = new Map<string, Entry>()
			for (const entry of entries.flat()) last.set(`${entry.table} ${entry.rowid}`, entry)
			const expected = (table: string) =>
				[...last.values()]
					.filter((entry) => entry.table === table && entry.values !== null)
					.map(({ values }) => values)
					.toSorted((x, y) => Number(x?.[0]) - Number(y?.[0]))
			const manifest = {
				schema,
				tables: ['a', 'b'].map((name) => ({ name, columns, rows: expected(name).length })),
				sequences: { a: 90 },
				chunks: chunks.map(() => ({})),
			} as unknown as Manifest
			const client = createClient({ url: ':memory:' })
			try {
				const readChunk = async (position: number) => entries[position] ?? []
				const hashes = await loadBackup(client, { manifest, readChunk })
				for (const table of ['a', 'b']) {
					const { rows } = await client.execute(`select id, name from ${table} order by id`)
					expect(rows.map((row) => Array.from(row))).toEqual(expected(table))
				}
				await compareWithBackup(client, manifest, hashes)
			} finally {
				client.close()
			}
		}),
		{ numRuns: propertyRuns(50) },
	)
})
