import { beforeEach, describe, expect, test } from 'vitest'
import { communityRemovals } from '#schema/tables/community/community.ts'
import { features } from '../../../../edge/features.ts'
import { crons, type Schedule } from '../../../../edge/http/feature.ts'
import { MINUTE } from '../../../../edge/platform/clock.ts'
import { findDue } from '../../../../edge/platform/work/due-rows.ts'
import { collectSchedules } from '../../../../edge/schedules.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'

let world: World
beforeEach(async () => {
	world = await openWorld()
})

const schedules: readonly Schedule[] = collectSchedules(features)
const probes = () => world.statements.filter((sql) => sql.startsWith('select exists ('))

describe('a scheduled run without work', () => {
	test('an idle minute queries the due rows of all its tasks in one statement, and sends nothing', async () => {
		await world.cron(crons.eachMinute)
		world.statements.length = 0
		world.messages.length = 0
		await world.cron(crons.eachMinute)
		expect(probes()).toHaveLength(1)
		expect(world.messages).toEqual([])
		expect(world.statements.length).toBeLessThanOrEqual(21)
	})

	test.for([crons.eachMinute, crons.eachTenMinutes])(
		'a scheduled run at %s finds due rows by their indexes',
		async (cron) => {
			world.statements.length = 0
			await world.cron(cron)
			const plan = await world.plan(probes()[0] ?? '')
			expect(plan.filter((step) => step.startsWith('SCAN') && step !== 'SCAN CONSTANT ROW')).toEqual([])
		},
	)
})

test('a task runs when one of its rows is due, and not before', async () => {
	const due = schedules.flatMap((task) => task.due ?? [])
	const find = () => world.perform(({ db, now }) => findDue(db, due, now))
	await world.deps(({ db, now }) =>
		db.insert(communityRemovals).values({ communityId: 77, dueAt: now + MINUTE }),
	)
	expect((await find()).size).toBe(0)
	world.pass(MINUTE)
	expect([...(await find())].map(({ at }) => at.name)).toEqual(['dueAt'])
	await world.cron(crons.eachTenMinutes)
	expect(world.messages).toContainEqual({ type: 'community.remove', communityId: 77 })
	expect((await find()).size).toBe(0)
})
