import { expect, test } from 'vitest'
import {
	createWebhookEndpoint,
	getWebhookEndpoint,
	updateWebhookEndpoint,
} from '#schema/contract/accounts/webhooks/endpoints.ts'
import { openWorld } from '../../../support/edge/world.ts'

test('a webhook endpoint accepts only one of several concurrent updates with the same entity tag', async () => {
	const world = await openWorld()
	const ada = await world.person()
	const org = { orgId: ada.orgId }
	const body = { url: 'https://example.org/hook' }
	const { id } = (await world.ask(createWebhookEndpoint, { params: org, body }, ada)).ok.data
	const params = { ...org, endpointId: id }
	const get = () => world.ask(getWebhookEndpoint, { params }, ada)
	const tag = (await get()).headers.get('etag') ?? ''
	const change = (changed: object, ifMatch: string) =>
		world.ask(updateWebhookEndpoint, { params, body: changed }, { ...ada, headers: { 'if-match': ifMatch } })

	const sizes = [1, 2, 3]
	const all = await Promise.all(sizes.map((maxInFlight) => change({ maxInFlight }, tag)))
	expect(all.map(({ status }) => status).toSorted()).toEqual([200, 412, 412])
	const winner = all.find(({ status }) => status === 200)
	const current = await get()
	expect(winner?.headers.get('etag')).toBe(current.headers.get('etag'))
	expect(winner?.ok.data.maxInFlight).toBe(current.ok.data.maxInFlight)

	const types = ['asset.ready'] as const
	expect((await change({ types, order: 'resource' }, winner?.headers.get('etag') ?? '')).status).toBe(200)
	const refused = await change({ maxInFlight: 9 }, winner?.headers.get('etag') ?? '')
	expect([refused.code, refused.headers.get('x-error-fields')]).toEqual([
		'precondition_failed',
		'order, types',
	])
	const entries = "select 1 from audit_log where action = 'webhook.updated'"
	expect(await world.deps(({ db }) => db.all(entries))).toHaveLength(2)
	for (const changed of [{ types: null }, { maxInFlight: 4 }])
		expect((await change(changed, (await get()).headers.get('etag') ?? '')).status).toBe(200)
})
