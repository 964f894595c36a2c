import { createClient } from '@libsql/client/web'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ApiError, createClient as createCaller } from '#schema/contract/kit/client.ts'
import { getConfig, healthLive, healthReady } from '#schema/contract/platform/health.ts'
import { getMe, login, signup } from '#schema/contract/platform/identity.ts'
import { createApiKey, createOrg, getOrg, listOrgs } from '#schema/contract/platform/orgs.ts'
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
// People sign up from one address here, and after a while the limit per address would count them together.
beforeEach(() => database().execute('DELETE FROM attempts'))

const as = (token?: string) => createCaller({ baseUrl: worker.url, fetch, ...(token && { token }) })

const signUp = (email: string) => as().call(signup, { body: { email, password, name: 'Ada' } })

test('people sign up, sign in and see themselves', async () => {
	expect(await as().call(healthReady, {})).toEqual({ ok: true })
	const { data } = await signUp('ada@example.org')
	const again = await as().call(login, { body: { email: 'ada@example.org', password } })
	const me = await as(again.data.token).call(getMe, {})
	expect(me.data.user).toMatchObject({ id: data.user.id, email: 'ada@example.org' })
	expect(me.data.memberships).toMatchObject([{ orgId: data.org.id, role: 'owner', current: true }])
})

test('organizations and their API keys work', async () => {
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
	const seen = await as(key.data.key).call(getOrg, { params: { orgId: data.org.id } })
	expect(seen.data).toMatchObject({ id: data.org.id, role: null })
})

test('of many signups with one address at the same time, one is accepted', async () => {
	const answers = await Promise.allSettled(Array.from({ length: 8 }, () => signUp('twin@example.org')))
	const codes = answers.map((answer) =>
		answer.status === 'fulfilled' ? 'created' : (answer.reason as ApiError).code,
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

test('a batch takes the write lock when it begins, so it never has to be turned away halfway', async () => {
	server.pipelines.length = 0
	await signUp('lock@example.org')
	const begins = server.pipelines.flatMap(({ requests }) =>
		requests.flatMap((request) => (request.type === 'batch' ? [request.batch.steps[0]?.stmt.sql] : [])),
	)
	expect(new Set(begins)).toEqual(new Set(['BEGIN IMMEDIATE']))
})

test('requests that wait for the database do not hold each other up', async () => {
	const { data } = await signUp('waiting@example.org')
	let open = () => {}
	server.holdUntil(new Promise<void>((resolve) => (open = resolve)))
	const before = server.arrived.length
	// The Worker's own work after the sign-up may send other statements at the same time.
	const waiting = () =>
		server.arrived.slice(before).filter((pipeline) => JSON.stringify(pipeline).includes('u.token_version'))
	// More than the client library sends at once, so that a client shared between requests would queue some.
	const headers = { authorization: `Bearer ${data.token}` }
	const asked = Array.from({ length: 60 }, () => fetch(`${worker.url}/v1/auth/me`, { headers }))
	try {
		await expect.poll(() => waiting().length, { timeout: 8_000 }).toBe(60)
	} finally {
		open()
		server.holdUntil(Promise.resolve())
	}
	expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(60).fill(200))
})

test('a database that cannot be reached makes requests fail as unavailable, until it is back', async () => {
	const { data } = await signUp('cy@example.org')
	await server.stop()
	try {
		expect(await as().call(healthLive, {})).toEqual({ ok: true })
		expect((await as().call(getConfig, {})).data.features.signing).toBe(true)
		const unavailable = { status: 503, code: 'unavailable', retryAfterSeconds: expect.any(Number) }
		await expect(as().call(healthReady, {})).rejects.toMatchObject(unavailable)
		await expect(as(data.token).call(getMe, {})).rejects.toMatchObject(unavailable)
		await expect(signUp('dee@example.org')).rejects.toMatchObject(unavailable)
		const answer = await fetch(`${worker.url}/v1/orgs`, {
			headers: { authorization: `Bearer ${data.token}` },
		})
		expect(await answer.json()).toEqual({ error: expect.not.stringContaining('127.0.0.1') })
	} finally {
		await server.resume()
	}
	expect((await as(data.token).call(getMe, {})).data.user.email).toBe('cy@example.org')
})

test('a token that the server refuses is as if it could not be reached', async () => {
	await using stranger = await startWorker({
		vars: { LIBSQL_URL: server.url, LIBSQL_AUTH_TOKEN: 'thyme-1234' },
	})
	const answer = await fetch(`${stranger.url}/health/ready`)
	expect(answer.status).toBe(503)
	expect(stranger.logs.join('\n')).not.toContain('thyme-1234')
})

test('the D1 database beside it stays untouched', async () => {
	const d1 = await worker.miniflare.getD1Database('DB')
	expect(await d1.prepare('SELECT count(*) AS count FROM users').first('count')).toBe(0)
	expect(await d1.prepare('SELECT count(*) AS count FROM outbox').first('count')).toBe(0)
})
