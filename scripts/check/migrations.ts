import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api'
import * as tables from '#schema/tables/index.ts'
import { migrationsDirectory } from '../lib/migrations.ts'

// The snapshot has the tables as of the newest migration. Its difference to the current ones is what `npm run
// migrations` would write.
const snapshots = (await readdir(join(migrationsDirectory, 'meta'))).filter((name) =>
	name.endsWith('_snapshot.json'),
)
const [newest, ...others] = snapshots
if (!newest || others.length > 0) {
	console.error(`schema/migrations/meta has ${snapshots.length} snapshots; keep only the newest one`)
	process.exit(1)
}
const before = JSON.parse(await readFile(join(migrationsDirectory, 'meta', newest), 'utf8'))
const now = await generateSQLiteDrizzleJson(tables, before.id, 'snake_case')
// drizzle-kit prompts for a possible rename, and throws without a terminal. That is a difference, too.
const statements = await generateSQLiteMigration(before, now).catch((error: Error) => [`-- ${error.message}`])

if (statements.length > 0) {
	console.error(
		`schema/tables and schema/migrations differ; run: npm run migrations\n\n${statements.join('\n')}`,
	)
	process.exitCode = 1
}
