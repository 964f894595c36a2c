import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createClient } from '@libsql/client'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { newId } from '../../../edge/platform/database/ids.ts'
import { deriveSecrets } from '../../../edge/platform/tokens/secrets.ts'
import { readMigrations } from '../../../scripts/lib/migrations.ts'
import type { Control } from '../../../scripts/lib/runtime/control.ts'
import { restoreBackup } from '../../../scripts/operate/restore/restore.ts'
import { backUpIfNeeded } from '../../../scripts/start/back-up/back-up-if-needed.ts'
import { deleteOldCopies, keepDeletingOldCopies } from '../../../scripts/start/back-up/old-copies.ts'
import { startLibsqlServer } from '../../support/libsql/server.ts'

const AUTH_SECRET = 'a-secret-that-is-only-good-for-tests-of-this-file'
const user =
	"insert into users (id, email, name, password_hash, created_at, updated_at) values (1, 'ada@example.org', 'Ada 🎬', '', 0, 0)"
/** More than fits into one chunk. */
const longRows = Array.from(
	{ length: 4 },
	(_, at) =>
		`insert into data_keys (rowid, name, sealed, created_at) values (${at * 1000 + 1}, 'name ${at}', hex(randomblob(300000)), 0)`,
)

/** Rows without texts. The second table has no key of its own. */
const numberRows = [
	'insert into post_followers (id, user_id, post_id, created_at) values (3, 1, 5, 0), (4, 1, 6, 0)',
	'insert into space_topics (space_id, tag_id, posts_count) values (1, 2, 0), (1, 3, 7)',
]

let dataDir: string
let lines: string[]
beforeEach(async () => {
	dataDir = await mkdtemp(join(tmpdir(), 'playhouse-start-'))
	lines = []
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

const NEXT = '9999_next.sql'
const migrations = await readMigrations()
/** With one more than this release has. */
const nextNames = [...migrations.map(({ name }) => name), NEXT]

/** The statements that make a database of this release, before the next migration. */
function formerRelease(): string[] {
	return [
		...migrations.flatMap(({ statements }) => statements),
		'create table d1_migrations (id integer primary key autoincrement, name text unique, applied_at timestamp default current_timestamp not null)',
		...migrations.map(({ name }) => `insert into d1_migrations (name) values ('${name}')`),
	]
}

function controlOf(database: DatabaseSync): Pick<Control, 'query' | 'read'> {
	return {
		read: async (...statements) =>
			statements.map(({ sql, values = [] }) => {
				const statement = database.prepare(sql)
				statement.setReturnArrays(true)
				const columns = statement.columns().map(({ name }) => name)
				return { columns, rows: statement.all(...values) as unknown as (string | number | null)[][] }
			}),
		query: async (...statements) =>
			statements.map(({ sql, values = [] }) => database.prepare(sql).all(...values)),
	}
}

const backUp = (database: DatabaseSync, variables: Record<string, string> = {}) =>
	backUpIfNeeded(
		controlOf(database),
		{ dataDir },
		{ AUTH_SECRET, ...variables },
		{ log: (_level, line) => lines.push(line) },
		nextNames,
	)
const listFiles = () => readdir(join(dataDir, 'backups')).catch(() => [])

async function restoreFile(name: string) {
	const client = createClient({ url: ':memory:' })
	await restoreBackup({
		path: join(dataDir, 'backups', name),
		secrets: deriveSecrets(AUTH_SECRET),
		into: client,
	})
	return client
}

describe('npm start before migrations', () => {
	test('npm start backs up before migrations, to a file of its owner that restore reads', async () => {
		const database = new DatabaseSync(':memory:')
		for (const sql of [...formerRelease(), user, ...longRows, ...numberRows]) database.exec(sql)
		await backUp(database)
		const [name = ''] = await listFiles()
		expect(lines.at(-1)).toBe(`Backup written: ${join(dataDir, 'backups', name)}`)
		expect((await stat(join(dataDir, 'backups', name))).mode & 0o777).toBe(0o600)
		const restored = await restoreFile(name)
		expect((await restored.execute('select name from users')).rows).toMatchObject([{ name: 'Ada 🎬' }])
		const numbers =
			'select (select json_group_array(json_array(id, post_id)) from post_followers) as followers, (select json_group_array(json_array(rowid, posts_count)) from space_topics) as topics'
		expect((await restored.execute(numbers)).rows).toMatchObject([
			{ followers: '[[3,5],[4,6]]', topics: '[[1,0],[2,7]]' },
		])
		const sealed = 'select group_concat(sealed) as sealed from (select sealed from data_keys order by rowid)'
		expect((await restored.execute(sealed)).rows).toMatchObject([database.prepare(sealed).get() ?? {}])
	})

	test('npm start backs up a libSQL database before migrations, in the state of one instant', async () => {
		await using server = await startLibsqlServer({
			template: [...formerRelease(), user, ...longRows],
		})
		const writer = createClient({ url: server.url })
		// Somebody else deletes the rows after they were counted and before they are read.
		const [reading, deleted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
		server.holdUntil(deleted.promise, (pipeline) => {
			const sent = JSON.stringify(pipeline).replaceAll(/\\[nt]/g, ' ')
			const isRead = /from .{0,4}data_keys.{0,4}\s+where rowid > .* order by rowid/.test(sent)
			if (isRead) reading.resolve()
			return isRead
		})
		const written = backUpIfNeeded(
			{ query: async () => [], read: async () => [] },
			{ dataDir },
			{ AUTH_SECRET, LIBSQL_URL: server.url },
			{ log: (_, line) => lines.push(line) },
			nextNames,
		)
		await Promise.race([reading.promise, written.then(() => expect.unreachable('data_keys was not read'))])
		await writer.execute('delete from data_keys')
		deleted.resolve()
		await written
		const [name = ''] = await listFiles()
		const restored = await restoreFile(name)
		expect((await restored.execute('select count(*) as n from data_keys')).rows).toMatchObject([{ n: 4 }])
	})

	test('npm start makes no backup without a pending migration or without accounts', async () => {
		const database = new DatabaseSync(':memory:')
		await backUp(database)
		for (const sql of formerRelease()) database.exec(sql)
		await backUp(database)
		database.exec(user)
		database.exec(`insert into d1_migrations (name) values ('${NEXT}')`)
		await backUp(database)
		expect([await listFiles(), lines]).toEqual([[], []])
	})

	test('npm start stops if the backup before migrations fails, and leaves no part of it', async () => {
		const database = new DatabaseSync(':memory:')
		for (const sql of [...formerRelease(), user]) database.exec(sql)
		database.exec("insert into data_keys (name, sealed, created_at) values ('blob', x'00', 0)")
		await expect(backUp(database)).rejects.toThrow(
			/^the backup before the migrations failed: data_keys\.sealed of row 1 has a value of unknown type; no migration was applied/,
		)
		expect(await listFiles()).toEqual([])
	})

	test('npm start keeps five backups from before migrations', async () => {
		await mkdir(join(dataDir, 'backups'))
		const names = Array.from(
			{ length: 7 },
			(_, at) => `playhouse-${newId('bkp', Date.now() - (7 - at) * 1_000)}.zip`,
		)
		for (const name of [...names, 'of-somebody-else.zip', `${names[0]}.partial`])
			await writeFile(join(dataDir, 'backups', name), '')
		const database = new DatabaseSync(':memory:')
		for (const sql of [...formerRelease(), user]) database.exec(sql)
		await backUp(database)
		const written = basename(lines.at(-1) ?? '')
		expect(await listFiles()).toEqual(['of-somebody-else.zip', ...names.slice(3), written])
	})
})

describe('old copies of the database', () => {
	const DAY = 86_400_000
	const now = Date.UTC(2026, 1, 3, 4, 5, 6)

	test.each([
		[{}, 364],
		[{ ERASURE_LEDGER_DAYS: '30' }, 29],
		[{ ERASURE_LEDGER_DAYS: '30', BACKUP_KEEP_DAYS: '8' }, 7],
	])('npm start with %o deletes copies of the database after %i days', async (variables, days) => {
		const backups = join(dataDir, 'backups')
		const databases = join(dataDir, 'storage', 'd1', 'miniflare-D1DatabaseObject')
		for (const folder of [backups, databases]) await mkdir(folder, { recursive: true })
		const namesAt = (at: number) => {
			const replaced = `x.sqlite.replaced-${new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
			return { zip: `playhouse-${newId('bkp', at)}.zip`, databases: [replaced, `${replaced}-wal`] }
		}
		const old = namesAt(now - days * DAY)
		const young = namesAt(now - days * DAY + 1_000)
		for (const { zip, databases: names } of [old, young]) {
			await writeFile(join(backups, zip), '')
			for (const name of names) await writeFile(join(databases, name), '')
		}
		const current = ['x.sqlite', 'x.sqlite-wal']
		for (const name of [...current, 'x.sqlite.restoring', 'x.sqlite.restoring-wal'])
			await writeFile(join(databases, name), '')
		await deleteOldCopies(dataDir, variables, now)
		expect(await listFiles()).toEqual([young.zip])
		expect(await readdir(databases)).toEqual([...current, ...young.databases].toSorted())
	})

	test('npm start deletes old copies of the database at its start and each hour, until it stops', async () => {
		vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now })
		onTestFinished(() => void vi.useRealTimers())
		await mkdir(join(dataDir, 'backups'))
		const write = (at: number) => writeFile(join(dataDir, 'backups', `playhouse-${newId('bkp', at)}.zip`), '')
		await write(now - 6 * DAY)
		await write(now - 5 * DAY)
		await write(now - 5 * DAY)
		const deleting = await keepDeletingOldCopies(dataDir, { BACKUP_KEEP_DAYS: '7' }, ({ message }) =>
			expect.unreachable(message),
		)
		expect(await listFiles()).toHaveLength(2)
		vi.advanceTimersByTime(DAY)
		await vi.waitFor(async () => expect(await listFiles()).toEqual([]), { timeout: 60_000 })
		deleting[Symbol.dispose]()
		expect(vi.getTimerCount()).toBe(0)
	})
})
