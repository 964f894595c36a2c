import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api'
import * as tables from '#schema/tables/index.ts'
import { migrationsDirectory } from '../migrations.ts'

// The newest snapshot is what the tables looked like when the newest migration was made: the difference to the
// tables of today is what `npm run migrations` would write.
const snapshots = (await readdir(join(migrationsDirectory, 'meta'))).filter((name) =>
	name.endsWith('_snapshot.json'),
)
const newest = snapshots.toSorted().at(-1)
if (!newest) throw new Error('schema/migrations/meta has no snapshot')
const before = JSON.parse(await readFile(join(migrationsDirectory, 'meta', newest), 'utf8'))
const now = await generateSQLiteDrizzleJson(tables, before.id, 'snake_case')
// Asked to tell a rename from a new name it wants to talk to somebody; that is a difference too.
const statements = await generateSQLiteMigration(before, now).catch((error: Error) => [`-- ${error.message}`])

if (statements.length > 0) {
	console.error(
		`schema/tables and schema/migrations differ; run: npm run migrations\n\n${statements.join('\n')}`,
	)
	process.exitCode = 1
}
