import { Webhook } from 'standardwebhooks'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import * as log from '#schema/contract/accounts/webhooks/deliveries.ts'
import {
	createWebhookEndpoint,
	getWebhookEndpoint,
	updateWebhookEndpoint,
} from '#schema/contract/accounts/webhooks/endpoints.ts'
import type { CallInput } from '#schema/contract/kit/client.ts'
import type { MessageByType } from '#schema/contract/messages.ts'
import type { EventEnvelope } from '#schema/contract/public-events.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import { auditFeature } from '../../../../edge/accounts/audit/feature.ts'
import { features } from '../../../../edge/features.ts'
import type { Feature } from '../../../../edge/http/feature.ts'
import { openWorld, type Who, type World } from '../../../support/edge/world.ts'

type Received = { url: string; event: EventEnvelope; headers: Record<string, string>; body: string }
type Reply = Response | Error | (() => Promise<Response>)

/** A response that makes a delivery fail. */
export const failure = (status = 500, headers: Record<string, string> = {}) =>
	new Response('no', { status, headers })

/** Tests of deliveries count events. The audit log would add one for each change, in the minute after it. */
const withoutAudit: readonly Feature[] = features.filter((feature) => feature !== auditFeature)

/** A world in which all webhook endpoints are one receiver. It returns 200 unless the test sets other replies. */
export async function openReceiverWorld(served = withoutAudit) {
	const received: Received[] = []
	let replies: Reply[] = []
	let standardReply: () => Reply = () => new Response('ok')
	const world = await openWorld(
		{},
		{
			features: served,
			async fetchPublic(url, init) {
				const body = String(init.body)
				const headers = Object.fromEntries(new Headers(init.headers))
				received.push({ url, event: JSON.parse(body), headers, body })
				const reply = replies.shift() ?? standardReply()
				if (reply instanceof Error) throw reply
				return reply instanceof Response ? reply : reply()
			},
		},
	)
	const ada = await world.person()
	const keyRequest = { params: { orgId: ada.orgId }, body: { name: 'Test', scopes: ['admin' as const] } }
	/** Unlike a session, it remains valid while the test lets days pass. */
	const { key } = (await world.ask(createApiKey, keyRequest, ada)).ok.data
	const program = { ...ada, token: '', key }
	world.messages.length = 0
	const inOrg = { orgId: ada.orgId }
	const isDelivery = (message: { type: string }): message is MessageByType<'webhook.deliver'> =>
		message.type === 'webhook.deliver'
	return {
		world,
		ada,
		program,
		received,
		/** The next replies, in this order. */
		reply: (...next: Reply[]) => {
			replies = next
		},
		alwaysReply: (make: () => Reply) => {
			standardReply = make
		},
		createEndpoint: (options: Options = {}) => createEndpoint(world, program, options),
		findEndpoint: async (endpointId: string) =>
			(await world.ask(getWebhookEndpoint, { params: { ...inOrg, endpointId } }, program)).ok.data,
		update: (endpointId: string, body: NonNullable<CallInput<typeof updateWebhookEndpoint>['body']>) =>
			world.ask(updateWebhookEndpoint, { params: { ...inOrg, endpointId }, body }, program),
		listLog: async (query: Record<string, string> = {}) =>
			(await world.ask(log.listWebhookEvents, { params: inOrg, query }, program)).ok.data,
		getLog: async (eventId: string) =>
			(await world.ask(log.getWebhookEvent, { params: { ...inOrg, eventId } }, program)).ok.data,
		recover: (body: NonNullable<CallInput<typeof log.recoverWebhookEvents>['body']>) =>
			world.ask(log.recoverWebhookEvents, { params: inOrg, body }, program),
		/** The titles of the assets in the received events, in the order of arrival. */
		titles: () => received.map(({ event }) => event.data.title),
		create: (title: string, who: Who = program) => world.ask(createAsset, { body: { title } }, who),
		/** Records events of an asset directly, so that there are as many; returns the sequence of the last one. */
		async record(count: number): Promise<number> {
			const { orgId } = ada
			const at = world.now
			await world.deps(({ db }) =>
				db.all(
					`insert into outbox (id, type, org_id, payload, created_at, due_at, done_at, sequence, resource)
					select 'evt_' || printf('%026d', n.value), 'asset.created', '${orgId}', '{"assetId":"","playbackId":"","title":""}', ${at}, ${at}, ${at}, n.value, 'asset:x'
					from (with recursive n(value) as (select 1 union all select value + 1 from n where value < ${count}) select value from n) as n returning id`,
				),
			)
			return count
		},
		/** Delivers the messages that wake endpoints, and leaves the others. Returns how many there were. */
		async deliver(): Promise<number> {
			const wakes = world.messages.filter(isDelivery)
			const others = world.messages.filter((message) => !isDelivery(message))
			world.messages.splice(0, world.messages.length, ...others)
			for (const isFailing of [false, true]) {
				const queue = isFailing ? 'playhouse-webhook-retries' : 'playhouse-webhooks'
				const batch = wakes.filter((wake) => wake.isFailing === isFailing)
				if (batch.length > 0) await world.deliver(batch, queue)
			}
			return wakes.length
		},
		/** Runs the sweep of each minute, then delivers. */
		async sweep(): Promise<void> {
			await world.cron('* * * * *')
			await this.deliver()
		},
	}
}

export type ReceiverWorld = Awaited<ReturnType<typeof openReceiverWorld>>

type Options = Partial<{
	url: string
	types: EventEnvelope['type'][]
	payload: 'full' | 'thin'
	order: 'none' | 'resource'
	maxInFlight: number
}>

export async function createEndpoint(world: World, owner: Who & { orgId: string }, options: Options = {}) {
	const body = { url: 'https://receiver.example.org/hooks', ...options }
	return (await world.ask(createWebhookEndpoint, { params: { orgId: owner.orgId }, body }, owner)).ok.data
}

/** Returns the names of the secrets that signed a delivery, whatever the clock says. */
export function findSigners({ body, headers }: Received, secrets: Record<string, string>): string[] {
	const signatures = headers['webhook-signature']?.split(' ')
	const at = new Date(Number(headers['webhook-timestamp']) * 1_000)
	const signatureBy = (secret: string) => new Webhook(secret).sign(headers['webhook-id'] ?? '', at, body)
	return Object.keys(secrets).filter((name) => signatures?.includes(signatureBy(secrets[name] ?? '')))
}

/** Verifies a delivery as a receiver would; throws if the signature is wrong. */
export const verify = (secret: string, { body, headers }: Received) =>
	new Webhook(secret).verify(body, headers)
