import { expect, test } from 'vitest'
import { findOwnerProblems } from '../../../scripts/check/table-owners.ts'

const tables = [
	{ path: 'schema/tables/accounts/orgs.ts', text: "export const orgs = sqliteTable(\n\t'orgs', {})" },
	{ path: 'schema/tables/outbox.ts', text: "export const outbox = sqliteTable('event_outbox', {})" },
]
const problemsIn = (path: string, text: string) => findOwnerProblems([...tables, { path, text }], [])

test.each([
	['an insert', 'db.insert(orgs).values(row)'],
	['an update', 'await db\n\t.update(orgs)\n\t.set(row)'],
	['a delete', 'db.delete(orgs)'],
	['an insert from a select', 'insertSelect(\n\tdb,\n\torgs,\n\t{ id })'],
	['SQL with the table', 'sql`update $' + '{orgs} set a = 1`'],
	['SQL with its name', 'sql`DELETE FROM orgs where id = 1`'],
])('the check of table owners reports %s into a table of another wing', (_, text) => {
	expect(problemsIn('edge/video/assets/store.ts', text)).toEqual([
		'edge/video/assets/store.ts writes orgs, which belongs to accounts; call a verb of accounts',
	])
})

test('the check of table owners reports a write by the name that the database uses', () => {
	expect(problemsIn('edge/video/assets/store.ts', 'sql`insert into event_outbox (id) values (1)`')).toEqual([
		'edge/video/assets/store.ts writes outbox, which belongs to platform; call a verb of platform',
	])
})

test('the check of table owners accepts reads, writes of the owner, and writes of operations', () => {
	expect(problemsIn('edge/video/assets/store.ts', 'db.select().from(orgs)')).toEqual([])
	expect(problemsIn('edge/accounts/orgs/store.ts', 'db.update(orgs)')).toEqual([])
	expect(problemsIn('edge/operations/admin/store.ts', 'db.update(orgs)')).toEqual([])
})

test('the check of table owners accepts a listed write, and reports a needless entry', () => {
	const file = { path: 'edge/watch/settings/store.ts', text: 'db.update(orgs)' }
	const listed = [{ table: 'orgs', wing: 'watch' }]
	expect(findOwnerProblems([...tables, file], listed)).toEqual([])
	expect(findOwnerProblems(tables, listed)).toEqual(['watch writes orgs no longer; remove the exception'])
})
