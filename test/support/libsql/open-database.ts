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

/** A libSQL database of its own with all tables, for suites that run on both drivers. */
export async function openLibsql(): Promise<OpenDatabase> {
	// A file and not :memory:, so that what runs at the same time gets connections of its own, as on a server.
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
