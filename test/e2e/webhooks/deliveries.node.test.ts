import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readEvents } from '#schema/contract/accounts/webhooks/deliveries.ts'
import { createWebhookEndpoint } from '#schema/contract/accounts/webhooks/endpoints.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import { secretVars } from '../../support/shared/miniflare-worker.ts'
import { randomFrom } from '../../support/shared/random.ts'
import { type EdgeProcess, startEdge } from '../fleet/edge-process.ts'
import { type Owner, signUp } from '../fleet/installation.ts'
import { type ReceivedEvent, type Receiver, startReceivers } from './receivers.ts'

/** Set by npm run prove -- webhooks for the long version. */
const { WEBHOOK_EVENTS, WEBHOOK_KILLS, WEBHOOK_SEED = '1' } = process.env
const isLong = WEBHOOK_EVENTS !== undefined
const EVENTS = Number(WEBHOOK_EVENTS ?? 120)
const KILLS = Number(WEBHOOK_KILLS ?? 2)
/** Working endpoints of each organization; as many more are dead. */
const WORKING = isLong ? 5 : 2
const ORGS = 2
const CONCURRENCY = 8
/** The share of the events before receivers die, and the share before the Worker is killed. */
const [BASELINE, UNDISTURBED] = [0.2, 0.4]
/** Each phase must end within this time; the long version takes half an hour in all. */
const PHASE_MS = isLong ? 3_600_000 : 300_000
const TIMEOUT_MS = 4 * PHASE_MS

/** An organization with its receivers that work. One of them gets the events of each asset in order. */
type Subscriber = { owner: Owner; working: Receiver[]; ordered: Receiver }
type Receivers = Awaited<ReturnType<typeof startReceivers>>

test('every working receiver gets every event while others fail and the Worker is killed', {
	timeout: TIMEOUT_MS,
}, async () => {
	const folder = await mkdtemp(join(tmpdir(), 'playhouse-webhooks-'))
	const receivers = await startReceivers()
	const random = randomFrom(Number(WEBHOOK_SEED))
	const vars = { ...secretVars, WEBHOOK_NETWORKS: '127.0.0.0/8' }
	let edge = await startEdge(folder, vars)
	const subscribers: Subscriber[] = []
	try {
		for (let i = 0; i < ORGS; i++) subscribers.push(await addOwner(() => edge.url, receivers, i))
		const assets = new Set<string>()
		const progress = { done: 0 }
		const report = (what: string) => isLong && console.log(`${progress.done} of ${EVENTS} events: ${what}`)
		const make = (until: number) => makeEvents(subscribers, assets, progress, until, random)

		await make(EVENTS * BASELINE)
		await settle(() => edge)
		report('all delivered without dead receivers')
		const baseline = delaysOf(subscribers)
		for (const [i, { owner }] of subscribers.entries()) await addDeadEndpoints(owner, receivers, i)
		await make(EVENTS * UNDISTURBED)
		await settle(() => edge)
		report('all delivered beside dead receivers')
		const besideDead = delaysOf(subscribers).slice(baseline.length)
		let kills = 0
		const killing = (async () => {
			for (; kills < KILLS; kills++) {
				const nextAt = EVENTS * (UNDISTURBED + ((1 - UNDISTURBED) * (kills + random())) / KILLS)
				while (progress.done < Math.min(nextAt, EVENTS - 1)) await pause(20)
				await edge.kill()
				edge = await startEdge(folder, vars)
				report(`${kills + 1} of ${KILLS} kills`)
				// Nobody works on these any more. The first kill waits for the end of their leases, the others don't.
				if (kills > 0)
					await edge.send({
						type: 'sql',
						sql: 'update webhook_deliveries set lease_until = null where lease_until > 0',
					})
			}
		})()
		await Promise.all([make(EVENTS), killing])
		await settle(() => edge)
		report('all delivered')

		for (const subscriber of subscribers) await checkSubscriber(edge, subscriber)
		const table = {
			events: EVENTS,
			kills,
			deliveries: subscribers
				.flatMap(({ working }) => working)
				.reduce((sum, { received }) => sum + received.length, 0),
			'p95 of the delay alone, ms': quantile(baseline, 0.95),
			'p95 beside dead receivers, ms': quantile(besideDead, 0.95),
		}
		if (isLong) {
			console.table(table)
			const ratio = quantile(besideDead, 0.95) / quantile(baseline, 0.95)
			expect(ratio).toBeLessThanOrEqual(2)
		}
	} finally {
		await edge.stop()
		await receivers.stop()
		await rm(folder, { recursive: true, force: true })
	}
})

async function addOwner(url: () => string, receivers: Receivers, number: number): Promise<Subscriber> {
	const owner = await signUp(url)
	const working: Receiver[] = []
	for (let i = 0; i < WORKING; i++) {
		const receiver = receivers.add(`/${number}/working-${i}`, (response) => void response.end())
		await addEndpoint(owner, receiver.url, i === 0 ? 'resource' : 'none')
		working.push(receiver)
	}
	return { owner, working, ordered: working[0] as Receiver }
}

const addEndpoint = ({ client, orgId }: Owner, url: string, order: 'none' | 'resource' = 'none') =>
	client().call(createWebhookEndpoint, { params: { orgId }, body: { url, order } })

/** Dead in three ways: no connection, errors, and (in the long version) no response for 15 s. */
async function addDeadEndpoints(owner: Owner, receivers: Receivers, number: number): Promise<void> {
	const kinds = [
		() => receivers.closedUrl,
		(path: string) => receivers.add(path, (response) => void response.writeHead(500).end()).url,
		(path: string) => receivers.add(path, () => undefined).url,
	]
	for (let i = 0; i < WORKING; i++)
		await addEndpoint(owner, kinds[i % kinds.length]?.(`/${number}/dead-${i}`) ?? '')
}

/** Creates and deletes assets until so many requests have succeeded. Requests that a kill interrupts are repeated. */
async function makeEvents(
	subscribers: readonly Subscriber[],
	assets: Set<string>,
	progress: { done: number },
	until: number,
	random: () => number,
): Promise<void> {
	const endsAt = Date.now() + PHASE_MS
	const work = async () => {
		while (progress.done < until) {
			if (Date.now() > endsAt) throw new Error('the Worker does not accept requests')
			const { owner } = subscribers[Math.floor(random() * subscribers.length)] as Subscriber
			const candidate = random() < 0.4 ? [...assets].find((key) => key.startsWith(owner.orgId)) : undefined
			try {
				if (candidate) {
					assets.delete(candidate)
					await owner.delete(candidate.split(' ')[1] ?? '')
				} else {
					const body = { title: `Film ${progress.done}` }
					const { data } = await owner.client().call(createAsset, { body })
					assets.add(`${owner.orgId} ${data.id}`)
				}
				progress.done++
			} catch (error) {
				// The Worker was killed. The request may have succeeded; the log of events says so.
				if (!(error instanceof TypeError)) throw error
				await pause(100)
			}
		}
	}
	await Promise.all(Array.from({ length: CONCURRENCY }, work))
}

/** Waits until no delivery to a working endpoint is pending. The cron of each minute runs each second. */
async function settle(edge: () => EdgeProcess): Promise<void> {
	const endsAt = Date.now() + PHASE_MS
	while (Date.now() < endsAt) {
		// What a killed Worker left is overdue at once.
		await edge().send({
			type: 'sql',
			sql: "update webhook_deliveries set due_at = due_at - 60000 where state = 'pending' and attempts = 0 and lease_until is null and endpoint_id in (select id from webhook_endpoints where failures = 0)",
		})
		await edge().send({ type: 'cron', expression: '* * * * *' })
		const [row] = await edge().send<{ open: number }[]>({
			type: 'sql',
			sql: `select (select count(*) from webhook_deliveries join webhook_endpoints on id = endpoint_id where state = 'pending' and url like '%/working-%')
				+ (select count(*) from webhook_endpoints where planned_sequence < (select coalesce(max(sequence), 0) from outbox where outbox.org_id = webhook_endpoints.org_id)) as open`,
		})
		if (row?.open === 0) return
		await pause(1_000)
	}
	throw new Error('some deliveries to working receivers never ended')
}

async function checkSubscriber(edge: EdgeProcess, { owner, working, ordered }: Subscriber): Promise<void> {
	const events = await readAll(owner)
	expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1))
	const ids = events.map(({ id }) => id).toSorted()
	for (const receiver of working) {
		const seen = new Set(receiver.received.map(({ event }) => event.id))
		expect([...seen].toSorted()).toEqual(ids)
		expect(replicaOf(receiver.received.map(({ event }) => event).toSorted(bySequence))).toEqual(
			replicaOf(events),
		)
	}
	const rows = await edge.send<{ id: string }[]>({
		type: 'sql',
		sql: 'select id from assets where org_id = ?',
		values: [owner.orgId],
	})
	expect([...replicaOf(events)].toSorted()).toEqual(rows.map(({ id }) => id).toSorted())
	const last = new Map<string, number>()
	const steps = ordered.received.map(({ event }) => {
		const before = last.get(event.data.assetId) ?? 0
		last.set(event.data.assetId, Math.max(before, event.sequence))
		return event.sequence >= before
	})
	expect(steps).not.toContain(false)
}

async function readAll(owner: Owner): Promise<ReceivedEvent[]> {
	const events: ReceivedEvent[] = []
	for (let after = 0; ; ) {
		const query = { after: String(after), limit: '200' }
		const { data, next } = await owner.client().call(readEvents, { query })
		if (data.length === 0) return events
		events.push(...(data as ReceivedEvent[]))
		after = next
	}
}

/** The assets that exist according to events. */
function replicaOf(events: readonly ReceivedEvent[]): Set<string> {
	const assets = new Set<string>()
	for (const { type, data } of events) {
		if (type === 'asset.created') assets.add(data.assetId)
		if (type === 'asset.deleted') assets.delete(data.assetId)
	}
	return assets
}

const bySequence = (a: ReceivedEvent, b: ReceivedEvent) => a.sequence - b.sequence

const delaysOf = (subscribers: readonly Subscriber[]): number[] =>
	subscribers
		.flatMap(({ working }) => working)
		.flatMap(({ received }) => received)
		.toSorted((a, b) => a.event.timestamp.localeCompare(b.event.timestamp))
		.map(({ delayMs }) => delayMs)

function quantile(values: readonly number[], share: number): number {
	const sorted = values.toSorted((a, b) => a - b)
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))
