import { createClient } from '@libsql/client/web'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { getMe, login, signup } from '#schema/contract/accounts/identity.ts'
import { createOrg, getOrg, listOrgs } from '#schema/contract/accounts/orgs.ts'
import { type ApiError, createClient as createCaller } from '#schema/contract/kit/client.ts'
import { getConfig, healthLive, healthReady } from '#schema/contract/operations/health.ts'
import { migrateLibsql } from '../../../scripts/migrate/main.ts'
import { type RunningWorker, startWorker } from '../shared/miniflare-worker.ts'
import { type LibsqlServer, startLibsqlServer } from './server.ts'

const authToken = 'sesame'
const password = 'correct horse battery'

let server: LibsqlServer
let worker: RunningWorker
const database = () => createClient({ url: server.url, authToken })

beforeAll(async () => {
	server = await startLibsqlServer({ authToken })
	await migrateLibsql({ url: server.url, authToken })
	worker = await startWorker({ vars: { LIBSQL_URL: server.url, LIBSQL_AUTH_TOKEN: authToken } })
})
afterAll(async () => {
	await worker?.dispose()
	await server[Symbol.asyncDispose]()
})
// All people sign up from one address here, so the limit per address would count them together.
beforeEach(() => database().execute('DELETE FROM attempts'))

const as = (token?: string) => createCaller({ baseUrl: worker.url, fetch, ...(token && { token }) })

const signUp = (email: string) => as().call(signup, { body: { email, password, name: 'Ada' } })

test('a Worker on libSQL signs up and signs in a user, and returns the user', async () => {
	expect(await as().call(healthReady, {})).toEqual({ ok: true })
	const { data } = await signUp('ada@example.org')
	const again = await as().call(login, { body: { email: 'ada@example.org', password } })
	const me = await as(again.data.token).call(getMe, {})
	expect(me.data.user).toMatchObject({ id: data.user.id, email: 'ada@example.org' })
	expect(me.data.memberships).toMatchObject([{ orgId: data.org.id, role: 'owner', current: true }])
})

test('a Worker on libSQL creates organizations and API keys', async () => {
	const { data } = await signUp('bo@example.org')
	const org = await as(data.token).call(createOrg, { body: { name: 'Second' } })
	expect((await as(data.token).call(listOrgs, {})).data.map(({ id }) => id)).toEqual([
		data.org.id,
		org.data.id,
	])
	const key = await as(data.token).call(createApiKey, {
		params: { orgId: data.org.id },
		body: { name: 'ci' },
	})
	const found = await as(key.data.key).call(getOrg, { params: { orgId: data.org.id } })
	expect(found.data).toMatchObject({ id: data.org.id, role: null })
})

test('a Worker on libSQL accepts one of many concurrent signups with the same email address', async () => {
	const results = await Promise.allSettled(Array.from({ length: 8 }, () => signUp('twin@example.org')))
	const codes = results.map((result) =>
		result.status === 'fulfilled' ? 'created' : (result.reason as ApiError).code,
	)
	expect(codes.toSorted()).toEqual([
		'conflict',
		'conflict',
		'conflict',
		'conflict',
		'conflict',
		'conflict',
		'conflict',
		'created',
	])
	const { rows } = await database().execute(
		"SELECT count(*) AS orgs FROM org_members JOIN users ON users.id = user_id WHERE email = 'twin@example.org'",
	)
	expect(rows[0]?.orgs).toBe(1)
})

test('a Worker on libSQL acquires the write lock at the start of a batch, which can’t be rejected later', async () => {
	server.pipelines.length = 0
	await signUp('lock@example.org')
	const begins = server.pipelines.flatMap(({ requests }) =>
		requests.flatMap((request) => (request.type === 'batch' ? [request.batch.steps[0]?.stmt.sql] : [])),
	)
	expect(new Set(begins)).toEqual(new Set(['BEGIN IMMEDIATE']))
})

test('a Worker on libSQL sends the statements of concurrent requests in parallel', async () => {
	const { data } = await signUp('waiting@example.org')
	let release = () => {}
	server.holdUntil(new Promise<void>((resolve) => (release = resolve)))
	const before = server.arrived.length
	// Deferred work after the signup may send other statements at the same time.
	const waiting = () =>
		server.arrived.slice(before).filter((pipeline) => JSON.stringify(pipeline).includes('u.token_version'))
	// The client library sends at most 20 in parallel, so a client shared between requests would queue some.
	const count = 25
	const headers = { authorization: `Bearer ${data.token}` }
	const requests = Array.from({ length: count }, () => fetch(`${worker.url}/v1/auth/me`, { headers }))
	try {
		const isAnswered = Promise.race(requests).then(() => {
			throw new Error('a request was answered before all had sent their statements')
		})
		await Promise.race([expect.poll(() => waiting().length, { timeout: 60_000 }).toBe(count), isAnswered])
	} finally {
		release()
		server.holdUntil(Promise.resolve())
	}
	expect((await Promise.all(requests)).map(({ status }) => status)).toEqual(Array(count).fill(200))
})

test('a Worker on libSQL responds with 503 while the database is unreachable', async () => {
	const { data } = await signUp('cy@example.org')
	await server.stop()
	try {
		expect(await as().call(healthLive, {})).toEqual({ ok: true })
		expect((await as().call(getConfig, {})).data.features.signing).toBe(true)
		const unavailable = { status: 503, code: 'unavailable', retryAfterSeconds: expect.any(Number) }
		await expect(as().call(healthReady, {})).rejects.toMatchObject(unavailable)
		await expect(as(data.token).call(getMe, {})).rejects.toMatchObject(unavailable)
		await expect(signUp('dee@example.org')).rejects.toMatchObject(unavailable)
		const result = await fetch(`${worker.url}/v1/orgs`, {
			headers: { authorization: `Bearer ${data.token}` },
		})
		expect(await result.json()).toEqual({ error: expect.not.stringContaining('127.0.0.1') })
	} finally {
		await server.resume()
	}
	expect((await as(data.token).call(getMe, {})).data.user.email).toBe('cy@example.org')
})

test('a Worker on libSQL responds with 503 if the token is rejected, and does not log the token', async () => {
	await using misconfigured = await startWorker({
		vars: { LIBSQL_URL: server.url, LIBSQL_AUTH_TOKEN: 'thyme-1234' },
	})
	const result = await fetch(`${misconfigured.url}/health/ready`)
	expect(result.status).toBe(503)
	expect(misconfigured.logs.join('\n')).not.toContain('thyme-1234')
})

test('a Worker on libSQL writes nothing to the D1 database', async () => {
	const d1 = await worker.miniflare.getD1Database('DB')
	expect(await d1.prepare('SELECT count(*) AS count FROM users').first('count')).toBe(0)
	expect(await d1.prepare('SELECT count(*) AS count FROM outbox').first('count')).toBe(0)
})
