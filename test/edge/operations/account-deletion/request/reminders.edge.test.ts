import { eq, like } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { accountDeletionRequests as table } from '#schema/tables/operations/account-deletion.ts'
import { processDeletionReminders } from '../../../../../edge/operations/account-deletion/request/reminders.ts'
import {
	computeDaysRemaining,
	computeDueWindow,
} from '../../../../../edge/operations/account-deletion/request/schedule.ts'
import { makeCancellationToken } from '../../../../../edge/operations/account-deletion/request/token.ts'
import { DAY, HOUR, MINUTE } from '../../../../../edge/platform/clock.ts'
import type { Person } from '../../../../support/edge/world.ts'
import { type DeletionWorld, openDeletionWorld } from '../deletion-world.ts'

let world: DeletionWorld
let ada: Person
beforeEach(async () => {
	world = await openDeletionWorld({ ACCOUNT_DELETION_NOTICES: 'false' })
	await world.person()
	ada = await world.person({ email: 'ada@example.org' })
})

/** The milliseconds until the next 08:00 UTC. */
const untilEight = () => DAY - ((world.now - 8 * HOUR) % DAY)
const runDaily = async () => {
	await world.cron('0 8 * * *')
	await world.settle()
}
const passToEight = async (days: number) => {
	world.pass(untilEight() + (days - 1) * DAY)
}
const subjects = () => world.mailsTo(ada.email).map(({ subject }) => subject)
const logs = () =>
	world.rows<{ details: string }>(
		"select details from account_deletion_logs where action = 'reminder_sent' order by id",
	)

const sevenDays = 'Your Playhouse account will be deleted in 7 days'
const lastCall = 'Final reminder: your Playhouse account is about to be deleted'

test.each([
	['confirmed', 30 * DAY, 30],
	['confirmed', 30 * DAY - 1, 29],
	['confirmed', DAY, 1],
	['confirmed', DAY - 1, 0],
	['confirmed', 0, 0],
	['confirmed', -5 * DAY, 0],
	['pending', 30 * DAY, 0],
	['cancelled', 30 * DAY, 0],
	['completed', 30 * DAY, 0],
])(
	'a %s deletion request that is due in %d ms has %d days remaining',
	{ tags: 'd1' },
	(status, ahead, days) => {
		expect(computeDaysRemaining({ status, scheduledFor: 1e12 + ahead }, 1e12)).toBe(days)
	},
)

test('the windows of the two reminders don’t overlap and leave no gap', { tags: 'd1' }, () => {
	expect(computeDueWindow('7_day', 0).from).toBe(computeDueWindow('final', 0).until)
	expect(computeDueWindow('7_day', 0)).toEqual({ from: 2 * DAY, until: 8 * DAY })
})

describe('the daily run', () => {
	test('the daily run sends a reminder at 7 days and a final one, each with the link and a log entry', {
		tags: 'd1',
	}, async () => {
		await world.request(ada)
		const days: [number, string[]][] = []
		for (let day = 1; day <= 30; day++) {
			await passToEight(1)
			const before = subjects().length
			await runDaily()
			if (subjects().length > before) days.push([day, subjects().slice(before)])
		}
		// Requested at noon: at 08:00 on day 23, 7 days and 4 hours remain; on day 29, 1 day and 4 hours.
		expect(days).toEqual([
			[23, [sevenDays]],
			[29, [lastCall]],
		])
		expect((await logs()).map(({ details }) => JSON.parse(details))).toEqual([
			{ days_remaining: 7, kind: '7_day' },
			{ days_remaining: 1, kind: 'final' },
		])
		for (const { text, html } of world.mailsTo(ada.email)) {
			expect(text).toMatch(/\/cancel-deletion\?token=[\w-]{43}\n/)
			expect(html).toMatch(/href="[^"]*\/cancel-deletion\?token=[\w-]{43}"/)
		}
	})

	test('the daily run sends each reminder once, even with repeated and concurrent runs', async () => {
		await world.request(ada)
		await passToEight(23)
		await Promise.all(Array.from({ length: 5 }, () => world.cron('0 8 * * *')))
		const batch = world.messages.splice(0)
		await Promise.all([world.deliver(batch), world.deliver(batch)])
		await runDaily()
		expect(subjects()).toEqual([sevenDays])
		expect(await logs()).toHaveLength(1)
	})

	test('the daily run sends a late reminder after a missed run', { tags: 'd1' }, async () => {
		await world.request(ada)
		await passToEight(25)
		await runDaily()
		expect(subjects()).toEqual(['Your Playhouse account will be deleted in 5 days'])
		await passToEight(3)
		await runDaily()
		await passToEight(1)
		await runDaily()
		expect(subjects().slice(1)).toEqual([lastCall])
	})

	test('the daily run skips the 7-day mail when the final one is due', { tags: 'd1' }, async () => {
		await world.request(ada)
		await passToEight(29)
		await runDaily()
		expect(subjects()).toEqual([lastCall])
	})

	test('the daily run selects reminders by its scheduled time, even when it runs late', {
		tags: 'd1',
	}, async () => {
		await world.request(ada)
		await passToEight(23)
		const planned = world.now
		await world.settle()
		world.pass(9 * HOUR)
		await world.perform(async (d) => {
			await processDeletionReminders({ ...d, now: planned })
		})
		expect(world.messages).toEqual([expect.objectContaining({ type: 'deletion.remind', kind: '7_day' })])
	})

	test('the daily run sends no reminder after a cancellation, even if it was already claimed', {
		tags: 'd1',
	}, async () => {
		world.set({ ACCOUNT_DELETION_NOTICES: 'true' })
		await world.request(ada)
		const token = await world.readMailedToken(ada)
		await passToEight(23)
		await world.cron('0 8 * * *')
		expect(world.messages).toHaveLength(1)
		const session = await world.logIn(ada)
		await world.cancel({ token: session }, token)
		await world.settle()
		await passToEight(6)
		await runDaily()
		expect(subjects().slice(1)).toEqual(['Your Playhouse account stays'])
	})

	test('the daily run retries a failed reminder, and queues one again whose message was lost', {
		tags: 'd1',
	}, async () => {
		await world.request(ada)
		await passToEight(23)
		await world.cron('0 8 * * *')
		let failures = 3
		world.failMails(() => failures-- > 0)
		await world.settle()
		expect(subjects()).toEqual([sevenDays])
		await passToEight(6)
		await world.cron('0 8 * * *')
		world.messages.length = 0
		world.pass(20 * MINUTE)
		await world.cron('*/10 * * * *')
		expect(world.messages).toEqual([])
		world.pass(10 * MINUTE)
		await world.cron('*/10 * * * *')
		await world.settle()
		expect(subjects()).toEqual([sevenDays, lastCall])
		expect(await logs()).toHaveLength(2)
	})

	test('the daily run sends reminders beyond its limit with a separate message', {
		tags: 'd1',
	}, async () => {
		await world.deps(async (d) => {
			const many = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 450)'
			await d.db.all(
				`insert into users (email, name, token_version, is_superadmin, created_at, updated_at) ${many} select 'u' || i || '@many.test', 'U', 1, 0, i, i from n returning 1`,
			)
			await d.db.all(
				`insert into account_deletion_requests select 'del_' || id, id, 'confirmed', 0, 0, ${world.now + 7.5 * DAY}, 0, null, null, null, ${world.now + 7.5 * DAY}, 'n' || id, 'h' || id from users where email like '%@many.test' returning 1`,
			)
			const links = await Promise.all(Array.from({ length: 450 }, () => makeCancellationToken(d)))
			const requests = await d.db.select({ id: table.id }).from(table).where(like(table.tokenNonce, 'n%'))
			const [first, ...others] = requests.map(({ id }, i) =>
				d.db
					.update(table)
					.set({ tokenNonce: links[i]?.sealed, cancellationTokenHash: links[i]?.tokenHash })
					.where(eq(table.id, id)),
			)
			if (first) await d.db.batch([first, ...others])
		})
		await world.cron('0 8 * * *')
		expect(world.messages.filter(({ type }) => type === 'deletion.remind')).toHaveLength(200)
		await world.settle()
		expect(world.sent).toHaveLength(450)
		expect(new Set(world.sent.map(({ to }) => to)).size).toBe(450)
	})
})

test('IP addresses in the logs of cancelled deletion requests are deleted after 90 days', {
	tags: 'd1',
}, async () => {
	world.set({ ACCOUNT_DELETION_NOTICES: 'true' })
	await world.request(ada)
	await world.cancel(ada, await world.readMailedToken(ada))
	const details = () => world.rows('select details from account_deletion_logs order by id')
	world.pass(89 * DAY)
	await world.cron('17 3 * * *')
	expect(JSON.stringify(await details())).toContain('203.0.113.7')
	world.pass(2 * DAY)
	await world.cron('17 3 * * *')
	expect(await details()).toEqual([{ details: '{}' }, { details: '{}' }])
})
