import { beforeEach, describe, expect, test } from 'vitest'
import { sendCode, signup } from '#schema/contract/accounts/identity.ts'
import { inviteMember } from '#schema/contract/accounts/org-members.ts'
import { createOrg } from '#schema/contract/accounts/orgs.ts'
import type { Message } from '#schema/contract/messages.ts'
import { cronExpressions } from '../../edge/cron.ts'
import { computeRetryDelaySeconds } from '../../edge/queue.ts'
import wranglerToml from '../../wrangler.toml?raw'
import { openWorld, type Person, type World } from '../support/edge/world.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	world.messages.length = 0
})

const undone = () =>
	world.deps((d) =>
		d.db.all<{ type: string; handovers: number }>('select type, handovers from outbox where done_at is null'),
	)
const invite = () =>
	world.ask(inviteMember, { params: { orgId: ada.orgId }, body: { email: 'new@example.org' } }, ada)

describe('the outbox', () => {
	test('the outbox records an event for each change, and queues it right after the response', {
		tags: 'd1',
	}, async () => {
		await invite()
		expect(world.messages.map((m) => m.type)).toEqual(['event.happened'])
		const [message] = world.messages
		await world.deliver()
		// The follower of the invitation has queued a mail.
		expect(world.messages.map((m) => m.type)).toEqual(['mail.send'])
		world.messages.length = 0
		await world.deliver([message as Message])
		expect(world.messages).toEqual([])
	})

	test('the outbox queues an event again when its message was lost, until it is done', async () => {
		await invite()
		world.messages.length = 0
		await world.cron('* * * * *')
		expect(world.messages).toEqual([])
		world.pass(2 * 60_000)
		await world.cron('* * * * *')
		expect(world.messages.map((m) => m.type)).toEqual(['event.happened'])
		await world.deliver()
		world.messages.length = 0
		world.pass(60 * 60_000)
		await world.cron('* * * * *')
		expect(world.messages).toEqual([])
		expect(await undone()).toEqual([])
	})

	test('the outbox waits longer each time before it queues an unfinished event again', {
		tags: 'd1',
	}, async () => {
		await invite()
		const queuedAt: number[] = []
		for (let minute = 0; minute < 60; minute++) {
			world.messages.length = 0
			world.pass(60_000)
			await world.cron('* * * * *')
			if (world.messages.length > 0) queuedAt.push(minute)
		}
		const gaps = queuedAt.map((at, i) => at - (queuedAt[i - 1] ?? 0)).slice(1)
		expect(gaps.length).toBeGreaterThan(2)
		expect(gaps).toEqual(gaps.toSorted((a, b) => a - b))
		expect(gaps.at(-1)).toBeGreaterThanOrEqual(16)
	})

	test('the outbox records no event for a change that failed', async () => {
		await world.deliver()
		await world.ask(createOrg, { body: { name: 'One', slug: 'same' } }, ada)
		const before = await undone()
		await world.ask(createOrg, { body: { name: 'Two', slug: 'same' } }, ada)
		await world.ask(signup, { body: { email: ada.email, password: 'long enough', name: 'Twin' } })
		expect(await undone()).toEqual(before)
	})
})

describe('the queue', () => {
	test('the queue acknowledges or retries each message separately, with growing delays', async () => {
		const good: Message = { type: 'event.happened', id: 'evt_unknown' }
		const bad = { type: 'no.such.type' } as unknown as Message
		const first = await world.deliver([good, bad, good])
		expect(first.explicitAcks).toHaveLength(2)
		expect(first.retryMessages).toEqual([{ msgId: expect.stringMatching(/-1$/) }])
		expect([1, 2, 3, 8, 20].map(computeRetryDelaySeconds)).toEqual([5, 10, 20, 640, 3600])
	})

	test('the queue stores each dead letter once, without secrets', async () => {
		await world.ask(sendCode, { body: { email: ada.email } })
		const dead = world.messages.splice(0)
		await world.deliver(dead, 'playhouse-background-dead')
		await world.deliver(dead, 'playhouse-background-dead')
		const letters = await world.deps((d) =>
			d.db.all<{ type: string; body: string }>('select * from dead_letters'),
		)
		expect(letters.map((l) => l.type)).toEqual(['code.send'])
		expect(letters[0]?.body).not.toContain((dead[0] as { code: string }).code)
	})
})

describe('scheduled runs', () => {
	test('scheduled runs exist for exactly the cron expressions of wrangler.toml', async () => {
		const crons = /crons = \[(.*)\]/.exec(wranglerToml)?.[1]
		expect(JSON.parse(`[${crons}]`)).toEqual(cronExpressions)
		await expect(world.cron('1 2 3 4 5')).rejects.toThrow('1 2 3 4 5')
	})

	test('scheduled runs delete expired rows and keep the others', async () => {
		await world.ask(sendCode, { body: { email: ada.email } })
		const count = () =>
			world.deps(async (d) => {
				const [row] = await d.db.all<Record<string, number>>(
					'select (select count(*) from sessions) as sessions, (select count(*) from otp_codes) as codes, (select count(*) from attempts) as attempts, (select count(*) from users) as users',
				)
				return row
			})
		await world.cron('17 3 * * *')
		expect(await count()).toMatchObject({ sessions: 1, codes: 1, users: 1 })
		world.pass(31 * 86_400_000)
		await world.cron('17 3 * * *')
		await world.cron('17 3 * * *')
		expect(await count()).toEqual({ sessions: 0, codes: 0, attempts: 0, users: 1 })
	})
})
