import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { WORKER_NAME } from '../../support/shared/miniflare-worker.ts'
import type { StoredSession } from './session-record.ts'

type Row = Record<string, unknown>

/** Reads the sessions that the objects have on disk, while no Worker runs. */
export async function readStoredSessions(persistTo: string): Promise<Map<string, StoredSession>> {
	const folder = join(persistTo, 'do', `${WORKER_NAME}-PlaybackSessions`)
	const files = (await readdir(folder).catch(() => [])).filter((name) => /^[\da-f]{64}\.sqlite$/.test(name))
	const stored = new Map<string, StoredSession>()
	for (const file of files) {
		const database = new DatabaseSync(join(folder, file))
		const read = (sql: string): Row[] => database.prepare(sql).all()
		try {
			const tables = read("select name from sqlite_master where type = 'table'").map(({ name }) => name)
			if (tables.includes('closed_session_ids'))
				for (const { ids } of read('select ids from closed_session_ids'))
					for (const id of JSON.parse(String(ids))) stored.set(id, null)
			if (tables.includes('pages'))
				for (const { sessions } of read('select sessions from pages'))
					for (const { id, state, isEnded } of JSON.parse(String(sessions)))
						stored.set(id, { state, isEnd: isEnded })
		} finally {
			database.close()
		}
	}
	return stored
}
