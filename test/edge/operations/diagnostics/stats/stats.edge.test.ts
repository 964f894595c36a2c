/** @module-tag d1 */
import { beforeEach, expect, test } from 'vitest'
import { getDiagnostics, listMachines, setMachinePrice } from '#schema/contract/operations/diagnostics.ts'
import { getFleetStats, getWorkerStats } from '#schema/contract/operations/stats.ts'
import { readMachineWork } from '../../../../../edge/operations/diagnostics/stats/stats.ts'
import { HOUR, MINUTE } from '../../../../../edge/platform/clock.ts'
import { rowsReadBy } from '../../../../support/edge/rows-read.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { openMachine } from '../../../video/transcoding/fake-machine.ts'
import { aFilm } from '../../../video/transcoding/sources.ts'
import { openStudio } from '../../../video/transcoding/transcoding-fixture.ts'

let world: World
let admin: Person
let studio: ReturnType<typeof openStudio>
beforeEach(async () => {
	world = await openWorld()
	admin = await world.person()
	studio = openStudio(world, admin)
})

const fleet = async () => (await world.ask(getFleetStats, {}, admin)).ok.data
const workers = async () => (await world.ask(getWorkerStats, {}, admin)).ok.data
const machines = async () => (await world.ask(listMachines, {}, admin)).ok.data

test('stats report waiting tasks with their age, and finished work with its speed', async () => {
	expect(await fleet()).toMatchObject({
		jobs: { queued: 0, processing: 0, completed24h: 0, failed24h: 0 },
		oldestQueuedAgeSec: null,
		speed: null,
	})
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	world.pass(MINUTE)
	const waiting = await fleet()
	expect(waiting).toMatchObject({
		jobs: { queued: 1 },
		tasks: { queued: 1, running: 0, byKind: [{ kind: 'inspect', queued: 1, running: 0 }] },
	})
	expect(waiting.oldestQueuedAgeSec).toBeGreaterThanOrEqual(60)

	const machine = await openMachine(world, { info: aFilm(10) })
	const idle = await openMachine(world, { info: aFilm(10) }, 'idle')
	const first = await machine.claim()
	if (!first) throw new Error('nothing to do')
	expect(await machines()).toMatchObject([
		{ id: idle.id, runningTasks: [], speed: null },
		{ id: machine.id, runningTasks: [{ id: first.id, kind: 'inspect', assetId }] },
	])
	await machine.fail(first, 'transient', 'The disk is full.')
	expect(await machines()).toMatchObject([
		{ id: idle.id, lastFailures: [] },
		{
			id: machine.id,
			failures24h: 1,
			lastFailures: [
				{ taskId: first.id, assetId, kind: 'inspect', reason: 'transient', message: 'The disk is full.' },
			],
		},
	])
	world.pass(10 * MINUTE)
	const done = await machine.drain()
	expect(await fleet()).toMatchObject({
		jobs: { queued: 0, processing: 0, completed24h: 1 },
		tasks: { queued: 0, done24h: done.length, failures24h: 1 },
		mediaSec24h: 4 * done.length,
		speed: 2,
	})
	expect(await workers()).toMatchObject([
		{ id: machine.id, done24h: done.length, failures24h: 1, running: 0, speed: 2 },
		{ id: idle.id, done24h: 0, failures24h: 0, speed: null },
	])
	expect((await world.ask(getDiagnostics, {}, admin)).ok.data.transcoding).toEqual(await fleet())
	world.pass(25 * 60 * MINUTE)
	admin.token = await world.logIn(admin)
	expect(await fleet()).toMatchObject({ jobs: { completed24h: 0 }, tasks: { done24h: 0, failures24h: 0 } })
})

test('stats report failures by reason, and the cost of a minute from the busy time of machines', async () => {
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	const machine = await openMachine(world, { info: aFilm(10) })
	const first = await machine.claim()
	if (!first) throw new Error('nothing to do')
	await machine.fail(first, 'transient', 'The disk is full.')
	world.pass(10 * MINUTE)
	const done = await machine.drain()
	const videos = done.filter((kind) => kind === 'video').length
	expect(videos).toBeGreaterThan(0)
	const minutes = (4 * videos) / 60
	expect(await fleet()).toMatchObject({ realTimeFactor: 2, costPerEncodeMinute: null })
	expect((await fleet()).failuresByReason24h).toEqual([{ reason: 'transient', count: 1 }])

	// All tasks ran at the same time, for half an hour, and the price is of an hour.
	const ended = world.now
	await world.deps((d) =>
		d.db.all(
			`update tasks set started_at = ${ended - 30 * MINUTE}, ended_at = ${ended} where state = 'done' returning 1`,
		),
	)
	const price = { params: { machineId: machine.id }, body: { hourlyPrice: 0.6 } }
	expect((await world.ask(setMachinePrice, price, admin)).ok.data.hourlyPrice).toBe(0.6)
	const [worker] = await workers()
	expect(worker).toMatchObject({ busySec24h: 1800, hourlyPrice: 0.6 })
	expect(worker?.encodeMinutes24h).toBeCloseTo(minutes)
	expect(worker?.costPerEncodeMinute).toBeCloseTo(0.3 / minutes)
	expect((await fleet()).costPerEncodeMinute).toBeCloseTo(0.3 / minutes)
	const unknown = { params: { machineId: `mch_${'0'.repeat(26)}` }, body: { hourlyPrice: null } }
	expect((await world.ask(setMachinePrice, unknown, admin)).status).toBe(404)
})

test('the list of machines has the completed tasks, failures and average seconds of the last hour', async () => {
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	const machine = await openMachine(world, { info: aFilm(10) })
	const idle = await openMachine(world, { info: aFilm(10) }, 'idle')
	const first = await machine.claim()
	if (!first) throw new Error('no task is queued')
	await machine.fail(first, 'transient', 'The disk is full.')
	world.pass(30 * MINUTE)
	const done = await machine.drain()
	await world.deps(({ db }) =>
		db.all("update tasks set work_sec = 5 where state = 'done' and kind = 'inspect' returning 1"),
	)
	const none = { done1h: 0, failures1h: 0, averageWorkSec1h: null }
	const average = (5 + 2 * (done.length - 1)) / done.length
	expect(await machines()).toMatchObject([
		{ id: idle.id, ...none },
		{ id: machine.id, done1h: done.length, failures1h: 1, averageWorkSec1h: average },
	])
	world.pass(31 * MINUTE)
	expect(await machines()).toMatchObject([
		none,
		{ done1h: done.length, failures1h: 0, averageWorkSec1h: average, failures24h: 1 },
	])
	world.pass(30 * MINUTE)
	expect(await machines()).toMatchObject([none, { ...none, done24h: done.length, failures24h: 1 }])
})

/** Adds tasks that one machine completed, one each millisecond until the given time. */
const addDone = (machineId: string, count: number, until: number) =>
	world.deps(({ db }) =>
		db.all(`
			with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
			insert into tasks (id, job_id, asset_id, org_id, kind, position, rank, lane, state, machine_id, due_at,
				deadline_sec, spec, weight, work_sec, media_sec, created_at, started_at, ended_at)
			select 'tsk_' || ${until} || '_' || i, 'job_' || ${until}, 'ast_1', 'org_1', 'video', i, 1, '[]', 'done',
				'${machineId}', 0, 60, '{}', 1, 3, 6, 0, ${until} - i, ${until} - i from n returning 1`),
	)

test('the work of machines costs the same statements and rows after 1 old task as after 10,000', async () => {
	const { id } = await openMachine(world, { info: aFilm(10) })
	await addDone(id, 2, world.now)
	await addDone(id, 1, world.now - 25 * HOUR)
	const read = async () => {
		const { ok, statements } = await world.ask(listMachines, {}, admin)
		expect(ok.data.find((each) => each.id === id)).toMatchObject({ done1h: 2, averageWorkSec1h: 3 })
		const rows = await world.deps((deps) => rowsReadBy((db) => readMachineWork({ ...deps, db })))
		return { rows, statements: statements.length }
	}
	const few = await read()
	await addDone(id, 10_000, world.now - 26 * HOUR)
	expect(await read()).toEqual(few)
	for (let i = 0; i < 8; i++) await openMachine(world, { info: aFilm(10) }, `idle ${i}`)
	expect((await read()).statements).toBe(few.statements)
})

test('stats are for superadmins only', async () => {
	const { token } = await world.person()
	for (const op of [getFleetStats, getWorkerStats]) {
		expect((await world.ask(op, {}, { token })).status).toBe(403)
		expect((await world.ask(op, {})).status).toBe(401)
	}
})
