import { type EventType, eventByType } from '#schema/contract/events.ts'
import { urgencies } from '#schema/contract/kit/event.ts'
import type { Message } from '#schema/contract/messages.ts'
import { MINUTE } from '../../edge/platform/clock.ts'
import { recordEventStatement } from '../../edge/platform/outbox/outbox.ts'
import { openWorld } from '../support/edge/world.ts'

/** Opens a world whose queue records the messages of each call separately. */
export async function openOutboxWorld() {
	const world = await openWorld()
	const ada = await world.person()
	world.messages.length = 0
	const batches: string[][] = []
	const queue = { beforeEach: async () => {} }
	Object.assign(world.bindings.BACKGROUND, {
		sendBatch: async (batch: { body: Message }[]) => {
			await queue.beforeEach()
			batches.push(batch.map(({ body }) => (body.type === 'event.happened' ? body.id : body.type)))
			world.messages.push(...batch.map(({ body }) => body))
		},
	})

	/** Inserts events that were recorded a minute ago and not relayed. */
	const fill = (count: number, type: EventType, tenant: string) =>
		world.deps(({ db, now }) =>
			db.all(
				`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
				insert into outbox (id, type, org_id, payload, created_at, due_at, handovers, done_at, urgency, tenant)
				select 'evt_${tenant}_' || printf('%06d', i), '${type}', '${tenant}', '{"communityId":1,"memberId":1}', 1,
				${now - MINUTE}, 0, null, ${urgencies.indexOf(eventByType[type].urgency as 'rest')}, '${tenant}' from n returning 1`,
			),
		)

	/** Leaves events as a request does that dies right after its change. */
	const recordOnly = (orgId: string) =>
		world.deps(async ({ db, work }) => {
			const video = { assetId: 'ast', playbackId: 'p', title: 'Film', jobId: 'job' }
			await db.batch([
				recordEventStatement(work, {
					type: 'member.left',
					orgId,
					payload: { communityId: 1, memberId: 2 },
				}),
				recordEventStatement(work, { type: 'org.api_key_created', orgId, payload: { keyId: 'key' } }),
				recordEventStatement(work, { type: 'asset.processing', orgId, payload: video }),
			])
			work.eventIds.clear()
		})

	return {
		...world,
		get now() {
			return world.now
		},
		ada,
		queue,
		fill,
		recordOnly,
		rows: <T>(sql: string) => world.deps(({ db }) => db.all<T>(sql)),
		/** Runs the sweep of the next minute. Returns the queued ids per call. */
		sweep: async () => {
			world.pass(MINUTE)
			batches.length = 0
			await world.cron('* * * * *')
			return batches.splice(0)
		},
		/** Returns the ids that were queued since the last call. */
		takeQueuedIds: () => batches.splice(0).flat(),
	}
}
