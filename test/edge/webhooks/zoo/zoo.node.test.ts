import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { generate } from 'selfsigned'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publicNetwork } from '../../../../scripts/lib/runtime/workers.ts'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'

/** Long enough for the attempts after the first one, 5 s later, on a busy machine. */
const TIMEOUT_MS = 120_000
const LOOPBACK = '127.0.0.0/8'

type Received = { path: string; headers: Record<string, string>; body: string }
type Delivery = { eventId: string; endpointId: string; status: string; attempts: number }
type Attempt = {
	status: number | null
	problem: string | null
	responseText: string | null
	durationMs: number
}

type Owner = { token: string; orgId: string }
type Receiver = { owner: Owner; id: string; secret: string; received: Received[] }

let worker: RunningWorker
const programs: { kill(): void }[] = []

beforeAll(async () => {
	worker = await startWorker({ vars: { WEBHOOK_NETWORKS: LOOPBACK }, services: publicNetwork(LOOPBACK) })
}, TIMEOUT_MS)
afterAll(async () => {
	for (const program of programs) program.kill()
	await worker?.dispose()
})

// biome-ignore lint/suspicious/noExplicitAny: responses of many operations
async function api(owner: Owner | null, method: string, path: string, body?: object): Promise<any> {
	const response = await fetch(worker.url + path, {
		method,
		headers: { 'content-type': 'application/json', ...(owner && { authorization: `Bearer ${owner.token}` }) },
		...(body && { body: JSON.stringify(body) }),
	})
	const answer = (await response.json()) as { data: unknown }
	if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
	return answer.data
}

async function signUp(name: string): Promise<Owner> {
	const body = { email: `${name}@example.org`, password: 'correct horse battery', name }
	const { token, org } = await api(null, 'POST', '/v1/auth/signup', body)
	return { token, orgId: org.id }
}

/** Starts a receiver and creates an endpoint for it. */
async function addReceiver(
	owner: Owner,
	behavior: string,
	certificate?: { key: string; cert: string },
): Promise<Receiver> {
	const args = [join(import.meta.dirname, 'receiver.ts'), behavior]
	const program = spawn(process.execPath, [...args, ...(certificate ? [JSON.stringify(certificate)] : [])], {
		stdio: ['ignore', 'pipe', 'inherit'],
	})
	programs.push(program)
	const lines = createInterface({ input: program.stdout })
	const received: Received[] = []
	const [port] = (await once(lines, 'line')) as [string]
	lines.on('line', (line) => received.push(JSON.parse(line)))
	const url = `${certificate ? 'https' : 'http'}://127.0.0.2:${port}/hook`
	const { id, secret } = await api(owner, 'POST', `/v1/orgs/${owner.orgId}/webhooks/endpoints`, { url })
	return { owner, id, secret, received }
}

async function until<T>(find: () => Promise<T | undefined | false>): Promise<T> {
	const endsAt = performance.now() + TIMEOUT_MS
	while (performance.now() < endsAt) {
		const found = await find()
		if (found) return found
		await new Promise((done) => setTimeout(done, 200))
	}
	throw new Error('the condition did not become true in time')
}

const inOrg = ({ owner }: Receiver, path: string) =>
	api(owner, 'GET', `/v1/orgs/${owner.orgId}/webhooks/${path}`)

const deliveryTo = async (receiver: Receiver): Promise<Delivery | undefined> =>
	(await inOrg(receiver, `events?endpointId=${receiver.id}`))[0]

const untilDelivered = (receiver: Receiver) =>
	until(async () => (await deliveryTo(receiver))?.status === 'delivered')

const firstAttempt = (receiver: Receiver): Promise<Attempt> =>
	until(async () => {
		const delivery = await deliveryTo(receiver)
		if (!delivery || delivery.attempts === 0) return false
		const { deliveries } = await inOrg(receiver, `events/${delivery.eventId}`)
		return deliveries.find(({ endpointId }: Delivery) => endpointId === receiver.id).attemptLog[0]
	})

const behaviors = [
	...['ok', 'slow', 'hanging', 'resetting', 'failing'],
	...['throttling', 'gone', 'redirecting', 'huge', 'dying'],
] as const

describe('receivers of every kind', () => {
	const zoo = new Map<string, Receiver>()
	const receiverOf = (behavior: string) => zoo.get(behavior) as Receiver
	beforeAll(async () => {
		const { private: key, cert } = await generate([{ name: 'commonName', value: 'elsewhere.example.org' }])
		// An organization has at most ten endpoints.
		const [first, second] = [await signUp('ada'), await signUp('bo')]
		await Promise.all([
			...behaviors.map(async (behavior) => zoo.set(behavior, await addReceiver(first, behavior))),
			addReceiver(second, 'ok', { key, cert }).then((receiver) => zoo.set('untrusted', receiver)),
		])
		for (const owner of [first, second]) await api(owner, 'POST', '/v1/assets', { title: 'Film' })
	}, TIMEOUT_MS)

	test('a good receiver gets one request that its library verifies', { timeout: TIMEOUT_MS }, async () => {
		await untilDelivered(receiverOf('ok'))
		expect(receiverOf('ok').received).toHaveLength(1)
		const [request] = receiverOf('ok').received as [Received]
		expect(new Webhook(receiverOf('ok').secret).verify(request.body, request.headers)).toMatchObject({
			type: 'asset.created',
			data: { title: 'Film' },
		})
		expect(request.headers).not.toHaveProperty('cookie')
		expect(request.headers).not.toHaveProperty('authorization')
	})

	test('a slow receiver is waited for', { timeout: TIMEOUT_MS }, async () => {
		await untilDelivered(receiverOf('slow'))
		expect(receiverOf('slow').received).toHaveLength(1)
	})

	test.each([
		['hanging', /no complete response within 15 seconds/, null],
		['resetting', /the connection failed/, null],
		['failing', /the receiver returned 500/, 500],
		['redirecting', /redirects are not followed/, 307],
		['dying', /the connection failed/, null],
		['untrusted', /certificate|the connection failed/, null],
	] as const)('a %s receiver is recorded as such', { timeout: TIMEOUT_MS }, async (name, problem, status) => {
		const attempt = await firstAttempt(receiverOf(name))
		expect(attempt).toMatchObject({ status, problem: expect.stringMatching(problem) })
	})

	test('a redirect is not followed', { timeout: TIMEOUT_MS }, async () => {
		await firstAttempt(receiverOf('redirecting'))
		expect(receiverOf('redirecting').received.map(({ path }) => path)).not.toContain('/elsewhere')
	})

	test('a huge response is cut off after the first KB', { timeout: TIMEOUT_MS }, async () => {
		const attempt = await firstAttempt(receiverOf('huge'))
		expect(attempt).toMatchObject({ status: 200, problem: null, responseText: 'x'.repeat(1_024) })
	})

	test('a receiver that asks for a break gets the event afterwards', { timeout: TIMEOUT_MS }, async () => {
		await untilDelivered(receiverOf('throttling'))
		expect(receiverOf('throttling').received).toHaveLength(2)
		const ids = receiverOf('throttling').received.map(({ headers }) => headers['webhook-id'])
		expect(new Set(ids).size).toBe(1)
	})

	test('a receiver that is gone is disabled', { timeout: TIMEOUT_MS }, async () => {
		await firstAttempt(receiverOf('gone'))
		const receiver = receiverOf('gone')
		const endpoint = await inOrg(receiver, `endpoints/${receiver.id}`)
		expect(endpoint).toMatchObject({ status: 'disabled', statusReason: expect.stringMatching(/410/) })
	})
})
