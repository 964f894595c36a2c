import { createClient } from '@libsql/client/web'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LibsqlServer, startLibsqlServer } from './server.ts'

let server: LibsqlServer
beforeAll(async () => {
	server = await startLibsqlServer({ authToken: 'sesame' })
})
afterAll(() => server[Symbol.asyncDispose]())

const connect = (intMode: 'number' | 'bigint' = 'number') =>
	createClient({ url: server.url, authToken: 'sesame', intMode })

const post = (body: object) =>
	fetch(`${server.url}/v3/pipeline`, {
		method: 'POST',
		headers: { authorization: 'Bearer sesame' },
		body: JSON.stringify(body),
	})

type Body = { baton: string | null; results: { type: string; response?: { result?: { rows: unknown } } }[] }
const bodyOf = async (response: Response) => (await response.json()) as Body

test('the libSQL server rejects a wrong or missing token', async () => {
	for (const authToken of ['thyme', undefined]) {
		const client = createClient({ url: server.url, ...(authToken && { authToken }) })
		await expect(client.execute('SELECT 1')).rejects.toMatchObject({ code: 'SERVER_ERROR' })
	}
})

test('the libSQL server returns every kind of value unchanged', async () => {
	const client = connect('bigint')
	const values = [
		null,
		9223372036854775807n,
		-9223372036854775808n,
		0.1,
		'Grüße 👋 "quoted"',
		new Uint8Array([0, 1, 254, 255]),
	]
	for (const value of values) {
		const { rows } = await client.execute({ sql: 'SELECT ? AS value', args: [value] })
		const returned = rows[0]?.value
		expect(returned instanceof ArrayBuffer ? new Uint8Array(returned) : returned).toEqual(value)
	}
})

test('the libSQL client reports an integer that is too large for a JavaScript number', async () => {
	await expect(connect().execute('SELECT 9007199254740993')).rejects.toThrow(RangeError)
})

test('the libSQL client rejects infinity as a value', async () => {
	await expect(connect().execute({ sql: 'SELECT ?', args: [Number.POSITIVE_INFINITY] })).rejects.toThrow(
		RangeError,
	)
})

test('the libSQL server executes a batch as one transaction, which an error rolls back', async () => {
	const client = connect()
	await client.execute('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)')
	const failing = client.batch(
		["INSERT INTO notes (text) VALUES ('a')", "INSERT INTO notes (text) VALUES ('a')"],
		'write',
	)
	await expect(failing).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT', statementIndex: 1 })
	const { rows } = await client.execute('SELECT count(*) AS count FROM notes')
	expect(rows[0]?.count).toBe(0)
})

test('the libSQL server reports how many rows a statement changed, and returns its rows', async () => {
	const client = connect()
	await client.batch(
		[
			'CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT)',
			"INSERT INTO pets (name) VALUES ('Ada'), ('Bo')",
		],
		'write',
	)
	const updated = await client.execute({
		sql: 'UPDATE pets SET name = upper(name) WHERE id > :id RETURNING id, name',
		args: { id: 1 },
	})
	expect(updated.rowsAffected).toBe(1)
	expect(updated.rows.map((row) => ({ ...row }))).toEqual([{ id: 2, name: 'BO' }])
	expect((await client.execute('SELECT * FROM pets')).rowsAffected).toBe(0)
	expect((await client.execute("INSERT INTO pets (name) VALUES ('Cy')")).lastInsertRowid).toBe(3n)
})

test('the libSQL server isolates a transaction that spans requests of one stream', async () => {
	const client = connect()
	await client.executeMultiple(
		'CREATE TABLE seats (id INTEGER PRIMARY KEY); INSERT INTO seats DEFAULT VALUES;',
	)
	const transaction = await client.transaction('write')
	await transaction.execute('INSERT INTO seats DEFAULT VALUES')
	const count = async () => (await client.execute('SELECT count(*) AS count FROM seats')).rows[0]?.count
	expect(await count()).toBe(1)
	await expect(client.execute('INSERT INTO seats DEFAULT VALUES')).rejects.toMatchObject({
		code: 'SQLITE_BUSY',
	})
	await transaction.commit()
	expect(await count()).toBe(2)
})

test('the libSQL server accepts a baton once', async () => {
	const first = await bodyOf(await post({ requests: [{ type: 'get_autocommit' }] }))
	expect(first).toMatchObject({
		results: [{ type: 'ok', response: { type: 'get_autocommit', is_autocommit: true } }],
	})
	expect((await post({ baton: first.baton, requests: [{ type: 'close' }] })).status).toBe(200)
	expect((await post({ baton: first.baton, requests: [] })).status).toBe(400)
})

test('stored texts of the libSQL server live as long as their stream', async () => {
	const stmt = { sql_id: 7, args: [] }
	const answer = await post({
		requests: [
			{ type: 'store_sql', sql_id: 7, sql: 'SELECT 42 AS answer' },
			{ type: 'execute', stmt },
			{ type: 'close_sql', sql_id: 7 },
			{ type: 'execute', stmt },
			{ type: 'close' },
		],
	})
	const { results } = await bodyOf(answer)
	expect(results.map(({ type }) => type)).toEqual(['ok', 'ok', 'ok', 'error', 'ok'])
	expect(results[1]?.response?.result?.rows).toEqual([[{ type: 'integer', value: '42' }]])
})

test('the libSQL server returns 404 for what it lacks, so that a client falls back by itself', async () => {
	for (const path of ['/v3-protobuf', '/v3/cursor', '/'])
		expect((await fetch(server.url + path)).status).toBe(404)
	for (const path of ['/v2', '/v3', '/health']) expect((await fetch(server.url + path)).status).toBe(200)
})

test('each name in the path of the libSQL server is a separate database', async () => {
	const named = (name: string) => createClient({ url: `${server.url}/${name}/`, authToken: 'sesame' })
	await named('one').execute('CREATE TABLE only_here (id INTEGER)')
	expect((await named('one').execute('SELECT * FROM only_here')).rows).toEqual([])
	await expect(named('two').execute('SELECT * FROM only_here')).rejects.toMatchObject({
		code: 'SQL_INPUT_ERROR',
	})
})

test('the libSQL server resets change counters for a stream that reuses a connection', async () => {
	const client = connect()
	await client.execute('CREATE TABLE counted (id INTEGER PRIMARY KEY)')
	await client.execute('INSERT INTO counted VALUES (7)')
	const counters = () => client.execute('SELECT changes() AS changes, last_insert_rowid() AS row')
	expect({ ...(await counters()).rows[0] }).toEqual({ changes: 0, row: 0 })
	await client.execute('EXPLAIN INSERT INTO counted VALUES (8)')
	await expect(client.execute('INSERT INTO counted VALUES (7) RETURNING id')).rejects.toThrow('UNIQUE')
	await client.batch(['INSERT INTO counted VALUES (9)'], 'write')
	expect({ ...(await counters()).rows[0] }).toEqual({ changes: 0, row: 0 })
})

test('the libSQL server rolls back an open transaction before a connection is reused', async () => {
	const client = connect()
	await client.execute('CREATE TABLE left_alone (id INTEGER)')
	const begun = await bodyOf(
		await post({
			requests: [
				{ type: 'execute', stmt: { sql: 'BEGIN IMMEDIATE' } },
				{ type: 'execute', stmt: { sql: 'INSERT INTO left_alone VALUES (1)' } },
			],
		}),
	)
	await post({ baton: begun.baton, requests: [{ type: 'close' }] })
	await client.batch(['INSERT INTO left_alone VALUES (2)'], 'write')
	expect((await client.execute('SELECT id FROM left_alone')).rows).toMatchObject([{ id: 2 }])
})

test('the libSQL server creates each new database as a copy of the template', async () => {
	await using copying = await startLibsqlServer({ template: ['CREATE TABLE ready (id INTEGER)'] })
	for (const name of ['one', 'two']) {
		const client = createClient({ url: `${copying.url}/${name}/` })
		expect((await client.execute('SELECT * FROM ready')).rows).toEqual([])
		await client.execute('INSERT INTO ready VALUES (1)')
	}
})

test('the libSQL server rejects requests on a closed stream', async () => {
	const begin = { type: 'execute', stmt: { sql: 'BEGIN IMMEDIATE' } }
	const { results } = await bodyOf(await post({ requests: [{ type: 'close' }, begin] }))
	expect(results.map(({ type }) => type)).toEqual(['ok', 'error'])
	await connect().batch(['CREATE TABLE after_closing (id INTEGER)'], 'write')
})
