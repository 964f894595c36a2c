import { expect, onTestFinished, test } from 'vitest'
import { listWorkerdPids } from '../../../../scripts/bench/lib/workerd.ts'
import { applyD1Migrations } from '../../../../scripts/start/d1-migrations.ts'
import { temporaryDirectory } from '../../../support/node/temporary-directory.ts'
import { echo, startEcho, startEchoForTest, writeBundle } from './echo-runtime.ts'

const MIB = 1024 ** 2

test('a request that does not fit on the disk gets 507, and others and later ones succeed', async () => {
	let free = 1_000 * MIB
	const { runtime } = await startEchoForTest({ freeBytes: async () => free })
	const statusWith = async (path: string, init: RequestInit) => {
		const response = await fetch(new URL(path, runtime.url), init)
		return `${response.status} ${response.headers.get('x-error-code') ?? ''}`.trim()
	}
	const put = (bytes: number) => statusWith('/put', { method: 'PUT', body: Buffer.alloc(bytes) })
	expect(await put(MIB)).toBe('200')
	// Small requests are accepted until 16 MiB are left, larger ones while they leave 64 MiB.
	for (const [freeMib, small, large] of [
		[64.5, '200', '507 insufficient_storage'],
		[20, '200', '507 insufficient_storage'],
		[15, '507 insufficient_storage', '507 insufficient_storage'],
		[1_000, '200', '200'],
	] as const) {
		free = freeMib * MIB
		await expect.poll(() => put(MIB)).toBe(large)
		await expect.poll(() => put(1_000)).toBe(small)
		expect(await statusWith('/size', {})).toBe('200')
		expect(await statusWith('/size', { method: 'DELETE' })).toBe('200')
	}
})

test('returns the number of free bytes to the Worker', async () => {
	const { getJson } = await startEchoForTest({ freeBytes: async () => 42 })
	expect(await getJson('/free')).toBe(42)
})

test('the runtime responds with 503 until the database is ready', async () => {
	const { runtime, getJson } = await startEchoForTest({ isClosed: true })
	const early = await fetch(new URL('/page', runtime.url))
	expect([early.status, early.headers.get('retry-after')]).toEqual([503, '1'])
	expect(await early.json()).toEqual({ error: expect.stringContaining('try again') })
	// Migrations and the schedule bypass the dev proxy.
	expect(await applyD1Migrations(runtime.control, [])).toEqual([])
	expect((await fetch(runtime.url)).status).toBe(503)
	runtime.admitRequests()
	expect(await getJson('/page')).toBe('a static file')
})

test('the runtime serves requests and keeps data after workerd was killed', async () => {
	const others = new Set(await listWorkerdPids())
	const { runtime, getJson } = await startEchoForTest()
	await fetch(new URL('/put', runtime.url), { method: 'PUT', body: 'data' })
	const started = (await listWorkerdPids()).filter((pid) => !others.has(pid))
	expect(started.length).toBeGreaterThan(0)
	for (const pid of started) process.kill(pid, 'SIGKILL')
	await expect.poll(() => getJson('/size').catch(() => null)).toBe(4)
})

test('variables of the runtime override those of wrangler.toml', async () => {
	const { getJson } = await startEchoForTest()
	expect((await getJson('/')).environment).toBe('development')
})

test('the Worker takes precedence over static files', async () => {
	const { getJson } = await startEchoForTest()
	expect(await getJson('/page')).toBe('a static file')
	expect((await getJson('/page.html')).environment).toBe('development')
})

test('the runtime limits the rate of requests', async () => {
	const { getJson } = await startEchoForTest()
	// A minute may end in between, so more than twice the limit.
	const answers = await Promise.all(Array.from({ length: 250 }, () => getJson('/shield')))
	const accepted = answers.filter((answer) => (answer as { success: boolean }).success)
	expect(accepted.length).toBeGreaterThanOrEqual(120)
	expect(accepted.length).toBeLessThanOrEqual(240)
})

test('the length of a body arrives in storage, and the object survives a restart', async () => {
	const directory = await temporaryDirectory()
	const first = await startEcho(directory)
	const body = new Uint8Array(3_000_001)
	const response = await fetch(new URL('/put', first.runtime.url), { method: 'PUT', body })
	expect(await response.json()).toBe(body.length)
	await first.runtime.stop()

	const second = await startEcho(directory)
	onTestFinished(() => second.runtime.stop())
	expect(await second.getJson('/size')).toBe(body.length)
})

test('the runtime passes the cron expression to the Worker and reports a failed run', async () => {
	const { runtime, getJson } = await startEchoForTest()
	expect(runtime.crons).toContain('17 3 * * *')
	await runtime.control.runScheduled('17 3 * * *', new Date(0))
	expect(await getJson('/size')).toBe('17 3 * * *'.length)
	await expect(runtime.control.runScheduled('1 1 1 1 1', new Date(0))).rejects.toThrow('1 1 1 1 1')
})

test('the runtime applies migrations once, in order, each as a whole or not at all', async () => {
	const { control } = (await startEchoForTest()).runtime
	const good = {
		name: '0000_good.sql',
		statements: ['CREATE TABLE a (x TEXT)', "INSERT INTO a VALUES ('1')"],
	}
	const bad = {
		name: '0001_bad.sql',
		statements: ["INSERT INTO a VALUES ('2')", 'INSERT INTO nowhere VALUES (1)'],
	}
	expect(await applyD1Migrations(control, [good])).toEqual(['0000_good.sql'])
	expect(await applyD1Migrations(control, [good])).toEqual([])
	await expect(applyD1Migrations(control, [good, bad])).rejects.toThrow('nowhere')
	expect(await control.query({ sql: 'SELECT x FROM a' }, { sql: 'SELECT name FROM d1_migrations' })).toEqual([
		[{ x: '1' }],
		[{ name: '0000_good.sql' }],
	])
})

test('refuses a database from before the first release, and explains how to start over', async () => {
	const { control } = (await startEchoForTest()).runtime
	const old = { name: '0001_webhooks-and-settings.sql', statements: ['CREATE TABLE a (x TEXT)'] }
	await applyD1Migrations(control, [old])
	await expect(applyD1Migrations(control)).rejects.toThrow(/before the first release[\s\S]*set DATA_DIR/)
	expect(await control.query({ sql: 'SELECT name FROM d1_migrations' })).toEqual([[{ name: old.name }]])
})

test('the runtime returns the columns of a read in order, whatever their names are', async () => {
	const { control } = (await startEchoForTest()).runtime
	expect(
		await control.read(
			{ sql: 'SELECT ? AS b, 2 AS "1", 3 AS a, 4 AS a', values: ['x'] },
			{ sql: 'SELECT 1 AS none WHERE false' },
		),
	).toEqual([
		{ columns: ['b', '1', 'a', 'a'], rows: [['x', 2, 3, 4]] },
		{ columns: ['none'], rows: [] },
	])
	await expect(control.read({ sql: 'SELECT x FROM nowhere' })).rejects.toThrow('nowhere')
})

test('the runtime runs schedules and statements while the Worker logs a lot', async () => {
	const { runtime, getJson } = await startEchoForTest()
	let isRunning = true
	const requests = Array.from({ length: 8 }, async () => {
		while (isRunning) await getJson('/log')
	})
	for (let round = 0; round < 50; round++) {
		await runtime.control.query({ sql: 'SELECT 1' })
		await runtime.control.runScheduled('17 3 * * *', new Date(0))
	}
	isRunning = false
	await Promise.all(requests)
})

test('a new bundle keeps data, and the old bundle stays if the new one does not start', async () => {
	const directory = await temporaryDirectory()
	const { runtime, getJson } = await startEcho(directory)
	onTestFinished(() => runtime.stop())
	await fetch(new URL('/put', runtime.url), { method: 'PUT', body: 'data' })
	await runtime.reload(await writeBundle(directory, 'second', echo.replace('env.ENVIRONMENT', "'second'")))
	expect((await fetch(runtime.url)).status).toBe(503)
	runtime.admitRequests()
	expect((await getJson('/')).environment).toBe('second')
	expect(await getJson('/size')).toBe(4)
	const broken = await writeBundle(directory, 'third', `throw new Error('at the top')\n${echo}`)
	await expect(runtime.reload(broken)).rejects.toThrow()
	runtime.admitRequests()
	expect((await getJson('/')).environment).toBe('second')
	await runtime.control.runScheduled('17 3 * * *', new Date(0))
})
