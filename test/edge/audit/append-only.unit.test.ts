import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { auditPersonalData } from '../../../edge/audit/personal-data.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url).href)
const changes =
	/\.(update|delete)\(\s*(auditLog|auditSeals)\b|\b(update|delete from)\s+"?audit_(log|seals)\b/i

test('no code changes or deletes rows of the audit log, except to erase a person', async () => {
	const changing: string[] = []
	let read = 0
	for await (const path of glob('{edge,scripts,schema}/**/*.{ts,sql}', { cwd: root })) {
		read++
		if (changes.test(await readFile(join(root, path), 'utf8'))) changing.push(path)
	}
	expect(read).toBeGreaterThan(500)
	expect(changing).toEqual(['edge/audit/personal-data.ts'])
	expect(auditPersonalData.personKeys?.every(({ onDeletion }) => onDeletion === 'null')).toBe(true)
	expect(auditPersonalData.orgKeys).toBeUndefined()
})
