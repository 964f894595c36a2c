import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { execa } from 'execa'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Migration, readMigrations } from '../../../scripts/lib/migrations.ts'
import { migrateLibsql } from '../../../scripts/migrate/main.ts'
import { type LibsqlServer, startLibsqlServer } from '../../support/libsql/server.ts'

let server: LibsqlServer
beforeEach(async () => {
	server = await startLibsqlServer({ authToken: 'sesame' })
})
afterEach(() => server[Symbol.asyncDispose]())

const address = () => ({ url: server.url, authToken: 'sesame' })

const run = (args: string[], env: Record<string, string> = {}) =>
	execa(process.execPath, ['scripts/migrate/main.ts', ...args], { env, reject: false, all: true })

async function select(sql: string): Promise<unknown[]> {
	const client = createClient(address())
	return (await client.execute(sql)).rows.map((row) => ({ ...row }))
}

const first: Migration = {
	name: '0000_first.sql',
	statements: ['CREATE TABLE a (id INTEGER)', 'INSERT INTO a VALUES (1)'],
}
const broken: Migration = {
	name: '0001_broken.sql',
	statements: ['CREATE TABLE b (id INTEGER)', 'INSERT INTO nowhere VALUES (1)'],
}

test('the libSQL migration refuses a database from before the first release, without changing it', async () => {
	const old = { name: '0001_webhooks-and-settings.sql', statements: ['CREATE TABLE a (id INTEGER)'] }
	await migrateLibsql(address(), { migrations: [old] })
	await expect(migrateLibsql(address())).rejects.toThrow('before the first release')
	expect(await select("SELECT name FROM sqlite_master WHERE name = 'users'")).toEqual([])
})

test('the libSQL migration creates every table in a new database, and records migrations as wrangler does', async () => {
	const names = (await readMigrations()).map(({ name }) => name)
	expect(await migrateLibsql(address())).toEqual(names)
	expect(await select("SELECT count(*) AS count FROM sqlite_master WHERE name = 'users'")).toEqual([
		{ count: 1 },
	])
	const records = await select('SELECT id, name, applied_at FROM d1_migrations ORDER BY id')
	expect(records).toEqual(
		names.map((name, at) => ({
			id: at + 1,
			name,
			applied_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
		})),
	)
})

test('a second run of the migrations does nothing', async () => {
	await migrateLibsql(address())
	const lines: string[] = []
	expect(await migrateLibsql(address(), { print: (line) => lines.push(line) })).toEqual([])
	expect(lines).toEqual([expect.stringContaining('nothing to do')])
})

test('a failed libSQL migration is rolled back, and earlier ones stay', async () => {
	const run = migrateLibsql(address(), { migrations: [first, broken] })
	await expect(run).rejects.toThrow(/^0001_broken\.sql: .*nowhere/)
	expect(await select('SELECT name FROM d1_migrations')).toEqual([{ name: '0000_first.sql' }])
	expect(await select("SELECT name FROM sqlite_master WHERE name = 'b'")).toEqual([])

	const fixed = { ...broken, statements: ['CREATE TABLE b (id INTEGER)'] }
	expect(await migrateLibsql(address(), { migrations: [first, fixed] })).toEqual(['0001_broken.sql'])
})

test('concurrent runs apply each libSQL migration once', async () => {
	const runs = await Promise.all(
		Array.from({ length: 5 }, () => migrateLibsql(address(), { migrations: [first] })),
	)
	expect(runs.flat()).toEqual(['0000_first.sql'])
	expect(await select('SELECT * FROM a')).toEqual([{ id: 1 }])
})

test('concurrent processes on one file apply each libSQL migration once', async () => {
	const directory = await mkdtemp(join(tmpdir(), 'playhouse-migrate-'))
	try {
		const env = { LIBSQL_URL: `file:${join(directory, 'data.db')}` }
		const runs = await Promise.all([run([], env), run([], env), run([], env)])
		expect(runs.map(({ exitCode, all }) => (exitCode === 0 ? 'ok' : all))).toEqual(['ok', 'ok', 'ok'])
		const client = createClient({ url: env.LIBSQL_URL })
		const { rows } = await client.execute('SELECT name FROM d1_migrations')
		client.close()
		expect(rows).toHaveLength((await readMigrations()).length)
	} finally {
		await rm(directory, { recursive: true, force: true })
	}
})

test('npm run migrate prints each step, and applies none in a dry run', async () => {
	const env = { LIBSQL_URL: server.url, LIBSQL_AUTH_TOKEN: 'sesame' }
	const dry = await run(['--dry-run'], env)
	expect(dry).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^would apply 0000_/) })
	expect(await select('SELECT name FROM sqlite_master')).toEqual([])
	expect(await run([], env)).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^applied 0000_/) })
})

test('npm run migrate reports errors without printing the token', async () => {
	expect(await run([])).toMatchObject({ exitCode: 2, all: expect.stringContaining('LIBSQL_URL') })
	const rejected = await run([], { LIBSQL_URL: server.url, LIBSQL_AUTH_TOKEN: 'thyme-1234' })
	expect(rejected).toMatchObject({ exitCode: 1, all: expect.stringContaining('401') })
	expect(rejected.all).not.toContain('thyme-1234')
	await server.stop()
	expect(await run([], { LIBSQL_URL: server.url })).toMatchObject({
		exitCode: 1,
		all: expect.stringContaining('ECONNREFUSED'),
	})
	expect(await run(['--help'])).toMatchObject({
		exitCode: 0,
		stdout: expect.stringContaining('npm run migrate'),
	})
	expect(await run(['--nope'])).toMatchObject({
		exitCode: 64,
		all: expect.stringMatching(/^Unknown option '--nope'.*\. See --help\.$/),
	})
})
