import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { generate } from 'selfsigned'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
	getWebhookEvent,
	listWebhookEvents,
	type WebhookDelivery,
} from '#schema/contract/accounts/webhooks/deliveries.ts'
import { createWebhookEndpoint, getWebhookEndpoint } from '#schema/contract/accounts/webhooks/endpoints.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import { createPublicNetwork } from '../../../../../scripts/lib/runtime/workers.ts'
import { type Owner, signUp, until } from '../../../../e2e/fleet/installation.ts'
import { type RunningWorker, startWorker } from '../../../../support/shared/miniflare-worker.ts'

/** Long enough for the attempts after the first one, 5 s later, on a busy machine. */
const TIMEOUT_MS = 120_000
const LOOPBACK = '127.0.0.0/8'

type Received = { path: string; headers: Record<string, string>; body: string }

type Receiver = { owner: Owner; id: string; secret: string; received: Received[] }

let worker: RunningWorker
const programs: { kill(): void }[] = []

beforeAll(async () => {
	worker = await startWorker({
		vars: { WEBHOOK_NETWORKS: LOOPBACK },
		services: createPublicNetwork(LOOPBACK),
	})
}, TIMEOUT_MS)
afterAll(async () => {
	for (const program of programs) program.kill()
	await worker?.dispose()
})

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
	const { id, secret } = (
		await owner.client().call(createWebhookEndpoint, { ...inOrg(owner), body: { url } })
	).data
	return { owner, id, secret, received }
}

const inOrg = ({ orgId }: Owner) => ({ params: { orgId } })

async function deliveryTo({ owner, id }: Receiver): Promise<WebhookDelivery | undefined> {
	const { data } = await owner
		.client()
		.call(listWebhookEvents, { ...inOrg(owner), query: { endpointId: id } })
	return data[0]
}

const untilDelivered = (receiver: Receiver) =>
	until(async () => ((await deliveryTo(receiver))?.status === 'delivered' ? true : null))

const firstAttempt = (receiver: Receiver) =>
	until(async () => {
		const delivery = await deliveryTo(receiver)
		if (!delivery || delivery.attempts === 0) return null
		const params = { orgId: receiver.owner.orgId, eventId: delivery.eventId }
		const { deliveries } = (await receiver.owner.client().call(getWebhookEvent, { params })).data
		return deliveries.find(({ endpointId }) => endpointId === receiver.id)?.attemptLog[0] ?? null
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
		const [first, second] = [await signUp(() => worker.url), await signUp(() => worker.url)]
		await Promise.all([
			...behaviors.map(async (behavior) => zoo.set(behavior, await addReceiver(first, behavior))),
			addReceiver(second, 'ok', { key, cert }).then((receiver) => zoo.set('untrusted', receiver)),
		])
		for (const owner of [first, second]) await owner.client().call(createAsset, { body: { title: 'Film' } })
	}, TIMEOUT_MS)

	test('a good webhook receiver gets one request that its library verifies', {
		timeout: TIMEOUT_MS,
	}, async () => {
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

	test('no webhook receiver waits for another one that hangs', { timeout: TIMEOUT_MS }, async () => {
		const [hanging, ...others] = await Promise.all(
			['hanging', 'failing', 'huge', 'gone', 'redirecting'].map((name) => firstAttempt(receiverOf(name))),
		)
		const endOf = ({ startedAt, durationMs }: NonNullable<typeof hanging>) =>
			Date.parse(startedAt) + durationMs
		for (const other of others) expect(endOf(other)).toBeLessThan(hanging ? endOf(hanging) : 0)
	})

	test('a webhook receiver gets concurrent requests', { timeout: TIMEOUT_MS }, async () => {
		const owner = await signUp(() => worker.url)
		const receiver = await addReceiver(owner, 'pairing')
		for (const title of ['First', 'Second']) await owner.client().call(createAsset, { body: { title } })
		await until(async () => {
			const { data } = await owner.client().call(listWebhookEvents, { ...inOrg(owner), query: {} })
			return data.length === 2 && data.every(({ attempts }) => attempts === 1) ? true : null
		})
		const { data } = await owner.client().call(listWebhookEvents, { ...inOrg(owner), query: {} })
		expect(data.map(({ status }) => status)).toEqual(['delivered', 'delivered'])
		expect(receiver.received).toHaveLength(2)
	})

	test('a delivery waits for a slow webhook receiver', { timeout: TIMEOUT_MS }, async () => {
		await untilDelivered(receiverOf('slow'))
		expect(receiverOf('slow').received).toHaveLength(1)
	})

	test.each([
		['hanging', /no complete response within 15 seconds/, null],
		['resetting', /broke the connection/, null],
		['failing', /the receiver returned 500/, 500],
		['redirecting', /redirects are not followed/, 307],
		['dying', /broke the connection/, null],
		['untrusted', /certificate/, null],
	] as const)(
		'a delivery to a %s webhook receiver is recorded as such',
		{ timeout: TIMEOUT_MS },
		async (name, problem, status) => {
			const attempt = await firstAttempt(receiverOf(name))
			expect(attempt).toMatchObject({ status, problem: expect.stringMatching(problem) })
		},
	)

	test('a redirect of a webhook receiver is not followed', { timeout: TIMEOUT_MS }, async () => {
		await firstAttempt(receiverOf('redirecting'))
		expect(receiverOf('redirecting').received.map(({ path }) => path)).not.toContain('/elsewhere')
	})

	test('a huge response of a webhook receiver is cut off after the first KB', {
		timeout: TIMEOUT_MS,
	}, async () => {
		const attempt = await firstAttempt(receiverOf('huge'))
		expect(attempt).toMatchObject({ status: 200, problem: null, responseText: 'x'.repeat(1_024) })
	})

	test('a receiver that asks for a pause gets the event afterwards', { timeout: TIMEOUT_MS }, async () => {
		await untilDelivered(receiverOf('throttling'))
		expect(receiverOf('throttling').received).toHaveLength(2)
		const ids = receiverOf('throttling').received.map(({ headers }) => headers['webhook-id'])
		expect(new Set(ids).size).toBe(1)
	})

	test('an endpoint whose receiver is gone is disabled', { timeout: TIMEOUT_MS }, async () => {
		await firstAttempt(receiverOf('gone'))
		const receiver = receiverOf('gone')
		const params = { orgId: receiver.owner.orgId, endpointId: receiver.id }
		const endpoint = (await receiver.owner.client().call(getWebhookEndpoint, { params })).data
		expect(endpoint).toMatchObject({ status: 'disabled', statusReason: expect.stringMatching(/410/) })
	})
})
