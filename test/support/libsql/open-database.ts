import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { type Db, libsqlDatabase } from '../../../edge/platform/database/database.ts'
import { migrateLibsql } from '../../../scripts/migrate/main.ts'

export type OpenDatabase = {
	db: Db
	/** Every statement that was sent, in order. */
	statements: string[]
	close(): Promise<void>
}

/** A new libSQL database with all tables, for tests that run on both drivers. */
export async function openLibsql(): Promise<OpenDatabase> {
	// A file, as concurrent statements need separate connections as on a server; :memory: has one.
	const directory = await mkdtemp(join(tmpdir(), 'playhouse-libsql-'))
	const client = createClient({ url: `file:${join(directory, 'data.db')}` })
	await migrateLibsql(client)
	const statements: string[] = []
	return {
		db: libsqlDatabase(client, (sql) => statements.push(sql)),
		statements,
		async close() {
			client.close()
			await rm(directory, { recursive: true, force: true })
		},
	}
}
