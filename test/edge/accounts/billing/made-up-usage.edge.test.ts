/** @module-tag d1 */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { getOrgUsage } from '#schema/contract/accounts/orgs.ts'
import { getAssetAnalytics } from '#schema/contract/watch/analytics/asset-analytics.ts'
import { getLiveCount } from '#schema/contract/watch/analytics/live-viewers.ts'
import { crons } from '../../../../edge/http/feature.ts'
import { DAY, MINUTE, toUtcMonth } from '../../../../edge/platform/clock.ts'
import type { OrgAnalytics } from '../../../../edge/watch/analytics/org/org-object.ts'
import type { PlaybackSessions } from '../../../../edge/watch/analytics/sessions/session-object.ts'
import { formatObjectName, ROOT } from '../../../../edge/watch/analytics/sessions/shards/shards.ts'
import { chrome, stateAt } from '../../watch/analytics/states.ts'
import { makeReady } from '../../watch/playback/ready-asset.ts'
import { openBillingWorld } from './billing-world.ts'

const REQUESTS = 100
const SESSIONS_PER_REQUEST = 5
const REPORTS_PER_SESSION = 10
const NETWORK_LIMIT = 300

test('10,000 made-up reports of one address add no minute to a bill, a served minute adds one, and no more than 300 views', async () => {
	const { world, ada, stripe, checkOut, sessionAt, settle } = await openBillingWorld({
		BILLING_METERS: 'true',
	})
	stripe.paySession(sessionAt((await checkOut(ada)).ok.data.url))
	await settle()
	const reconcile = async () => {
		world.pass(DAY)
		await world.cron(crons.eachTenMinutes)
		await world.deliver(world.messages.filter(({ type }) => type === 'billing.reconcile'))
	}
	const film = await makeReady(world, ada)
	// What is delivered before the first comparison is not charged, so made-up minutes must come after it.
	await reconcile()
	ada.token = await world.logIn(ada)
	const forge = async (round: number) => {
		for (let request = 0; request < REQUESTS; request++) {
			const events = Array.from({ length: SESSIONS_PER_REQUEST * REPORTS_PER_SESSION }, (_, n) => ({
				kind: 'heartbeat',
				playbackId: film.playbackId,
				sessionId: `made-up-${request}-${n % SESSIONS_PER_REQUEST}`,
				state: stateAt(9, { seq: round * 100 + n + 1, deliveredMs: { 1080: 30_000 * (n + 1) } }),
			}))
			const response = await world.fetch(
				new Request('https://edge.test/v1/analytics/events', {
					method: 'POST',
					body: JSON.stringify({ events }),
					headers: { ...chrome, 'content-type': 'application/json', 'cf-connecting-ip': '203.0.113.9' },
				}),
			)
			expect(response.status).toBe(202)
		}
	}
	await forge(0)
	world.pass(10_000)
	await forge(1)

	const params = { assetId: film.id }
	expect((await world.ask(getLiveCount, { params }, ada)).ok.data.viewers).toBe(NETWORK_LIMIT)
	const { totals } = (await world.ask(getAssetAnalytics, { params, query: { period: '24h' } }, ada)).ok.data
	expect(totals).toMatchObject({
		views: NETWORK_LIMIT,
		crowded: REQUESTS * SESSIONS_PER_REQUEST - NETWORK_LIMIT,
		dailyUniques: 1,
	})

	const object = (env.PLAYBACK_SESSIONS as DurableObjectNamespace<PlaybackSessions>).getByName(
		formatObjectName(film.playbackId, ROOT),
	)
	world.pass(40 * MINUTE)
	await runInDurableObject(object, (sessions) => sessions.tick(world.now))
	const usage = (await world.ask(getOrgUsage, { params: { orgId: ada.orgId } }, ada)).ok.data
	expect(usage.used.deliveryMinutesPerMonth).toBe(0)
	expect(usage.delivery?.publicCheck.reported).toHaveLength(1)
	const served = {
		source: 'isolate-1',
		month: toUtcMonth(world.now),
		version: 1,
		qualities: { '720p': MINUTE },
	}
	const org = (env.ORG_ANALYTICS as DurableObjectNamespace<OrgAnalytics>).getByName(ada.orgId)
	await org.noteServed({ ...served, access: 'public' }, world.now)
	await reconcile()
	const metered = [...stripe.meters].filter(([key]) => key.includes('playhouse_delivery_minutes'))
	expect(metered.map(([, minutes]) => minutes)).toEqual([1])
})
