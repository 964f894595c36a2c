import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, test } from 'vitest'
import { backUpBeforeMigrations } from '../../../scripts/deploy/back-up.ts'
import { readMigrations } from '../../../scripts/lib/migrations.ts'

const migrations = await readMigrations()
const NOW = 1_700_000_000_000
const names = migrations.map(({ name }) => name)

let database: DatabaseSync
let lines: string[]
beforeEach(() => {
	database = new DatabaseSync(':memory:')
	lines = []
})

/** Creates the database of the deployed version, which lacks the next migration. */
function createDeployed(): void {
	for (const { statements } of migrations) for (const sql of statements) database.exec(sql)
	database.exec('create table d1_migrations (name text)')
	for (const name of names) database.exec(`insert into d1_migrations values ('${name}')`)
	database.exec(
		"insert into users (id, email, name, password_hash, created_at, updated_at) values (1, 'ada@example.org', 'Ada', '', 0, 0)",
	)
}

/** Backs up, while `work` does what the Worker does between two polls. */
const backUp = (work: (poll: number) => void = () => {}, more: string[] = ['9999_next.sql']) => {
	let polls = 0
	return backUpBeforeMigrations({
		query: async (sql) => database.prepare(sql).all(),
		migrations: [...names, ...more],
		print: (line) => lines.push(line.trim()),
		wait: async () => work(++polls),
		now: () => NOW,
	})
}
const rows = () => database.prepare('select id, reason, state from backups').all()

describe('backups before migrations', () => {
	test('no backup is made before migrations if none is pending, or if the database is empty', async () => {
		await backUp()
		expect(lines).toEqual(['the database is empty'])
		createDeployed()
		await backUp(undefined, [])
		expect(lines.at(-1)).toBe('no migrations are pending')
		expect(rows()).toEqual([])
		database.exec('delete from users')
		await backUp()
		expect(lines.at(-1)).toBe('the database is empty')
	})

	test('a backup before migrations is requested, and its progress is shown until it is complete', async () => {
		createDeployed()
		await backUp((poll) => {
			if (poll === 1) database.exec('update backups set attempt = 1')
			if (poll === 2) database.exec(`update backups set plan = '{"tables":[{},{}]}', table_index = 1`)
			if (poll === 4) database.exec("update backups set state = 'completed'")
		})
		expect(lines).toEqual([
			expect.stringMatching(/^1 migrations are pending: requesting the backup bkp_[0-9a-z]{26}$/),
			'the Worker has begun',
			'table 2 of 2, 0 chunks stored',
			'the backup is complete',
		])
		expect(rows()).toMatchObject([{ reason: 'migration', state: 'completed' }])
	})

	test('a deployment waits until another backup has finished', async () => {
		createDeployed()
		database.exec(
			"insert into backups (id, reason, state, started_at, sealed_key, due_at, attempt) values ('bkp_other', 'daily', 'running', 0, 'x', 0, 1)",
		)
		await backUp((poll) => {
			if (poll === 2) database.exec("update backups set state = 'completed'")
			if (poll === 4) database.exec("update backups set state = 'completed'")
		})
		expect(lines).toContain('another backup runs first: bkp_other')
		expect(rows()).toMatchObject([{ id: 'bkp_other' }, { reason: 'migration', state: 'completed' }])
	})

	test('a deployment stops if the backup fails, or if the Worker does not begin or continue it', async () => {
		createDeployed()
		await expect(
			backUp(() => database.exec("update backups set state = 'failed', error = 'the vault is full'")),
		).rejects.toThrow('The backup failed: the vault is full. No migration was applied.')
		await expect(backUp()).rejects.toThrow('The Worker did not begin the backup')
		// A later deployment can request one again.
		expect(rows()).toMatchObject([{ state: 'failed' }])
		await expect(backUp(() => database.exec('update backups set attempt = 1'))).rejects.toThrow(
			'The Worker does not get on with the backup',
		)
	})

	test('a deployment asks a superadmin for a backup if the deployed version does not know requests', async () => {
		createDeployed()
		database.exec('alter table backups drop column drill_error')
		const insert = (id: string, reason: string, state: string, minutesAgo: number) =>
			database.exec(
				`insert into backups (id, reason, state, started_at, finished_at, sealed_key, due_at) values ('${id}', '${reason}', '${state}', 0, ${NOW - minutesAgo * 60_000}, '', 0)`,
			)
		insert('bkp_old', 'migration', 'completed', 61)
		insert('bkp_other', 'daily', 'completed', 1)
		insert('bkp_failed', 'migration', 'failed', 1)
		await expect(backUp()).rejects.toThrow(/POST \/v1\/backups\/run.* run this command again within an hour/)
		insert('bkp_new', 'migration', 'completed', 59)
		await backUp()
		expect(lines.at(-1)).toBe('a superadmin has made the backup')
		database.exec('drop table backups')
		await expect(backUp()).rejects.toThrow('makes no backups')
	})
})
