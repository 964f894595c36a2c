import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { auditPersonalData } from '../../../../edge/accounts/audit/personal-data.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url).href)
const object = String.raw`(\w+\.)?audit(Log|Seals)\b`
const table = String.raw`("?audit_(log|seals)\b|\$\{${object})`
/** The rest of the same statement, which ends at a blank line. */
const rest = String.raw`(?:(?!\n\s*\n)[\s\S])*?`
const changes = new RegExp(
	[
		String.raw`\.(update|delete)\(\s*${object}`,
		String.raw`\binsert(Select)?\((\s*\w+,)?\s*${object}${rest}\bonConflictDoUpdate\b`,
		String.raw`\b(update(\s+or\s+\w+)?|delete\s+from|(insert\s+or\s+)?replace\s+into)\s+${table}`,
		String.raw`\binsert\s+into\s+${table}${rest}\bdo\s+update\b`,
	].join('|'),
	'i',
)

test.each([
	'db.update(auditLog).set({ action })',
	'db.delete(\n\tauditSeals,\n)',
	'db.update(tables.auditLog)',
	'update audit_log set action = 1',
	'DELETE FROM "audit_seals"',
	`update \${auditLog} set action = 1`,
	`delete from \${tables.auditSeals} where 1`,
	'update or replace audit_log set action = 1',
	'insert or replace into audit_seals values (1)',
	`replace into \${auditLog} values (1)`,
	`insert into \${auditSeals} values (1)\n\ton conflict do update set hash = 1`,
	'insert into audit_log (id) values (1) on conflict (id) do update set action = 1',
	'db\n\t.insert(auditSeals)\n\t.values(seal)\n\t.onConflictDoUpdate({ target })',
	'insertSelect(db, auditLog, row).onConflictDoUpdate({ target })',
])('the search of the code for changes of the audit log finds: %s', (code) => {
	expect(code).toMatch(changes)
})

test.each([
	'db.select().from(auditLog)',
	'insertSelect(db, auditLog, row).onConflictDoNothing()',
	'db.insert(auditLog).values(row)\n\ndb.insert(orgs).values(org).onConflictDoUpdate({ target })',
])('the search of the code for changes of the audit log leaves out: %s', (code) => {
	expect(code).not.toMatch(changes)
})

test('no code changes or deletes rows of the audit log, except to erase a person', async () => {
	const changing: string[] = []
	let read = 0
	for await (const path of glob('{edge,scripts,schema}/**/*.{ts,sql}', { cwd: root })) {
		read++
		const code = await readFile(join(root, path), 'utf8')
		// The second search is slow, and finds nothing where the first does not.
		if (/audit/i.test(code) && changes.test(code)) changing.push(path)
	}
	expect(read).toBeGreaterThan(500)
	expect(changing).toEqual(['edge/accounts/audit/personal-data.ts'])
	expect(auditPersonalData.personKeys?.every(({ onDeletion }) => onDeletion === 'null')).toBe(true)
	expect(auditPersonalData.orgKeys).toBeUndefined()
})
