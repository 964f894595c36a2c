import { beforeEach, describe, expect, test } from 'vitest'
import type { LeasedTask } from '#schema/contract/video/leases.ts'
import type { TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import { MINUTE, SECOND } from '../../../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { type FakeMachine, openMachine } from '../fake-machine.ts'
import { aFilm } from '../sources.ts'
import { openStudio } from '../transcoding-fixture.ts'

let world: World
let ada: Person
let studio: ReturnType<typeof openStudio>
let machine: FakeMachine
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	studio = openStudio(world, ada)
	machine = await openMachine(world, { info: aFilm(60) })
})

async function take(from: FakeMachine = machine, body = {}): Promise<LeasedTask> {
	const task = await from.claim(body)
	if (!task) throw new Error('nothing to do')
	return task
}

async function addWaiting(who: Person = ada, title = 'Film') {
	const { assetId } = await studio.upload(who, title)
	await studio.start(assetId, undefined, who)
	return assetId
}

const assetOf = async (task: LeasedTask) => {
	const [row] = await world.deps((d) =>
		d.db.all<{ asset_id: string; org_id: string }>(
			`select asset_id, org_id from tasks where id = '${task.id}'`,
		),
	)
	return row as { asset_id: string; org_id: string }
}

describe('a claim', () => {
	test('concurrent claims lease a task to one machine', async () => {
		await addWaiting()
		const machines = await Promise.all(
			Array.from({ length: 8 }, (_, i) => openMachine(world, machine.behavior, `m${i}`)),
		)
		const taken = await Promise.all(machines.map((each) => each.claim()))
		expect(taken.filter(Boolean)).toHaveLength(1)
	})

	test('claims alternate between organizations, however many tasks one of them has', async () => {
		const bob = await world.person()
		for (let i = 0; i < 4; i++) await addWaiting(ada, `A${i}`)
		await addWaiting(bob, 'B')
		const orgs: string[] = []
		for (let i = 0; i < 3; i++) orgs.push((await assetOf(await take())).org_id)
		expect(orgs).toEqual([ada.orgId, bob.orgId, ada.orgId])
	})

	test('a claim prefers a task whose source the machine has, then the oldest', async () => {
		const first = await addWaiting(ada, 'first')
		const second = await addWaiting(ada, 'second')
		const third = await addWaiting(ada, 'third')
		const one = await take()
		expect((await assetOf(one)).asset_id).toBe(first)
		await machine.release(one)
		const [row] = await world.deps((d) =>
			d.db.all<{ source_id: string }>(`select source_id from tasks where asset_id = '${third}'`),
		)
		const two = await take(machine, { sources: ['unknown', row?.source_id] })
		expect((await assetOf(two)).asset_id).toBe(third)
		expect(two.source?.id).toBe(row?.source_id)
		expect((await assetOf(await take())).asset_id).toBe(first)
		expect((await assetOf(await take())).asset_id).toBe(second)
	})

	test('a claim returns only the requested kinds', async () => {
		await addWaiting()
		expect(await machine.claim({ kinds: ['video', 'audio'] })).toBeNull()
		expect((await take(machine, { kinds: ['inspect'] })).spec.kind).toBe('inspect')
	})

	test('a claim returns tasks required for playback first', async () => {
		await addWaiting()
		await machine.perform(await take())
		const ranks: string[] = []
		for (let task = await machine.claim(); task; task = await machine.claim()) ranks.push(task.spec.kind)
		expect(ranks[0]).toBe('audio')
		expect(ranks).toContain('video')
		expect(ranks.at(-1)).toBe('stills')
	})

	test('a claim costs three statements, or five the first time, and scans no table with 10,000 jobs', async () => {
		const cost = async () => {
			const task = await take()
			return { task, statements: [...world.statements] }
		}
		await addWaiting()
		expect((await cost()).statements).toHaveLength(5)
		await fill(10_000)
		const { task, statements } = await cost()
		expect(statements).toHaveLength(5)
		await machine.release(task)
		expect((await cost()).statements).toHaveLength(3)
		for (const sql of statements) {
			const plan = await world.plan(sql)
			const scans = plan.filter((line) => /^SCAN (task|following|head|busy|tasks|jobs)\b/.test(line))
			expect(
				scans.filter((line) => !/USING (COVERING )?INDEX tasks_lane/.test(line)),
				`${sql}\n${plan.join('\n')}`,
			).toEqual([])
		}
	})
})

/** Inserts many queued jobs of two organizations. */
const fill = (count: number) =>
	world.deps(async (d) => {
		const many = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`
		const asset = `'ast_' || printf('%026d', i)`
		const job = `'job_' || printf('%026d', i)`
		const org = `case i % 2 when 0 then '${ada.orgId}' else 'org_other' end`
		await d.db.all(
			`insert into assets (id, org_id, title, status, playback_id, visibility, metadata, public_settings, source_key, source_etag, source_size_bytes, created_at, updated_at) ${many} select ${asset}, ${org}, 'F', 'queued', 'p' || i, 'public', '{}', '{}', 'k' || i, 'e' || i, 5, i, i from n returning 1`,
		)
		await d.db.all(
			`insert into jobs (id, asset_id, org_id, playback_id, status, playback, ai_options, requested_options, version, published_version, hw_accel_used, created_at, updated_at) ${many} select ${job}, ${asset}, ${org}, 'p' || i, 'queued', 'complete', '{}', '{}', 0, 0, 0, i, i from n returning 1`,
		)
		await d.db.all(
			`insert into tasks (id, job_id, asset_id, org_id, kind, position, rank, lane, source_id, state, epoch, attempts, expiries, redone, due_at, deadline_sec, spec, progress, weight, created_at) ${many} select 'tsk_' || printf('%026d', i), ${job}, ${asset}, ${org}, 'inspect', 0, 0, '["inspect"]', 's' || i, 'queued', 0, 0, 0, 0, i, 900, '{"kind":"inspect","maxDurationSec":9}', 0, 1, i from n returning 1`,
		)
	})

describe('a lease', () => {
	test('a lease is renewed by heartbeats, and lost to the next claim without them', async () => {
		await addWaiting()
		const task = await take()
		for (let i = 0; i < 3; i++) {
			world.pass(50 * SECOND)
			const { ok, statements } = await machine.heartbeat(task)
			expect(Date.parse(ok.data.leaseUntil) - world.now).toBe(MINUTE)
			expect(statements).toHaveLength(2)
		}
		expect(await machine.claim()).toBeNull()
		world.pass(61 * SECOND)
		const again = await take()
		expect(again).toMatchObject({ id: task.id, epoch: 2 })
		const { result } = await machine.work(task)
		for (const answer of [
			await machine.heartbeat(task),
			await machine.complete(task, result),
			await machine.fail(task, 'permanent'),
			await machine.release(task),
		])
			expect(answer).toMatchObject({ status: 409, code: 'conflict' })
		expect((await machine.heartbeat(again)).status).toBe(200)
	})

	test('a lease ends at the deadline of its task despite heartbeats', async () => {
		await addWaiting()
		const task = await take()
		for (let passed = 0; passed < task.deadlineSec; passed += 50) {
			world.pass(50 * SECOND)
			await machine.heartbeat(task)
		}
		expect((await machine.heartbeat(task)).status).toBe(409)
	})

	test('a lease belongs to its machine: another machine with the same epoch gets 409', async () => {
		await addWaiting()
		const task = await take()
		const other = await openMachine(world, machine.behavior, 'other')
		const { result } = await machine.work(task)
		expect((await other.heartbeat(task)).status).toBe(409)
		expect((await other.complete(task, result)).status).toBe(409)
		expect((await other.fail(task, 'permanent')).status).toBe(409)
	})

	test('a released lease costs no attempt, and a failed one is delayed', async () => {
		await addWaiting()
		for (let i = 0; i < 6; i++) {
			const task = await take()
			expect((await machine.release(task)).status).toBe(200)
			expect((await machine.release(task)).status).toBe(200)
		}
		await machine.fail(await take(), 'transient')
		const [row] = await world.deps((d) =>
			d.db.all<{ state: string; attempts: number; due_at: number }>(
				'select state, attempts, due_at from tasks',
			),
		)
		expect(row).toMatchObject({ state: 'queued', attempts: 1 })
		expect((row?.due_at ?? 0) - world.now).toBeLessThanOrEqual(20 * SECOND)
	})
})

describe('a completion', () => {
	async function claimChunk() {
		await addWaiting()
		await machine.perform(await take())
		return take(machine, { kinds: ['video'] })
	}

	test('the completion of a task is accepted once and can be repeated by the same machine', async () => {
		const task = await claimChunk()
		const { result, objects } = await machine.work(task)
		await machine.put(task, objects)
		const all = await Promise.all([1, 2, 3].map(() => machine.complete(task, result)))
		expect(all.map(({ status }) => status)).toEqual([200, 200, 200])
		world.pass(5 * MINUTE)
		expect((await machine.complete(task, result)).status).toBe(200)
		expect((await machine.heartbeat(task)).status).toBe(200)
	})

	test('a completion is rejected while an object is missing or has another size, and the lease remains', async () => {
		const task = await claimChunk()
		const { result, objects } = await machine.work(task)
		await machine.put(task, objects.slice(0, -1))
		expect(await machine.complete(task, result)).toMatchObject({ status: 400 })
		await machine.put(task, [[objects.at(-1)?.[0] ?? '', 'longer than it should be']])
		expect(await machine.complete(task, result)).toMatchObject({ status: 400 })
		await machine.put(task, objects)
		expect((await machine.complete(task, result)).status).toBe(200)
	})

	test.each([
		['another kind', (_: TaskSpecByKind<'video'>) => ({ kind: 'inspect', info: aFilm(9) })],
		['another number of frames', () => ({ frames: 7 })],
		['a missing rung', () => ({ rungs: 'less' })],
		['a segment with another start', () => ({ rungs: 'shifted' })],
		['no sheet', () => ({ sheet: null })],
	])('a completion with %s is rejected', async (_, changeOf) => {
		const task = await claimChunk()
		const { result, objects } = await machine.work(task)
		await machine.put(task, objects)
		if (result.kind !== 'video') throw new Error('no chunk')
		const change: Record<string, unknown> = changeOf(task.spec as TaskSpecByKind<'video'>)
		if (change.rungs === 'less') change.rungs = result.rungs.slice(1)
		if (change.rungs === 'shifted')
			change.rungs = result.rungs.map((rung) => {
				const [a, b, ...rest] = rung.segments
				if (!a || !b) throw new Error('too short')
				return {
					...rung,
					segments: [{ ...a, frames: a.frames - 1 }, { ...b, frames: b.frames + 1 }, ...rest],
				}
			})
		const answer = await machine.complete(task, { ...result, ...change } as typeof result)
		expect(answer).toMatchObject({ status: 400 })
		expect((await machine.heartbeat(task)).status).toBe(200)
	})

	test('a completion takes at most five statements while other chunks remain', async () => {
		const task = await claimChunk()
		const { result, objects } = await machine.work(task)
		await machine.put(task, objects)
		expect((await machine.complete(task, result)).statements.length).toBeLessThanOrEqual(5)
	})
})

describe('output URLs', () => {
	test('output URLs are returned only for the outputs of the task, each with its content type', async () => {
		await addWaiting()
		await machine.perform(await take())
		const task = await take(machine, { kinds: ['video'] })
		const { rungs, firstSegment } = task.spec as TaskSpecByKind<'video'>
		const rung = rungs[0]?.id ?? ''
		const names = [`${rung}/init.mp4`, `${rung}/${firstSegment}.m4s`, 'sheet.jpg']
		const { ok, statements } = await machine.outputs(task, names)
		expect(ok.data.outputs.map(({ headers }) => headers['content-type'])).toEqual([
			'video/mp4',
			'video/iso.segment',
			'image/jpeg',
		])
		expect(ok.data.outputs[0]?.headers['cache-control']).toContain('immutable')
		expect(statements).toHaveLength(2)
		for (const name of [`${rung}/99999.m4s`, 'other/init.mp4', 'poster.jpg', 'speech.flac'])
			expect((await machine.outputs(task, [name])).status, name).toBe(400)
	})

	test('output URLs of speech and of the downloadable audio point to the vault', async () => {
		await addWaiting()
		await machine.perform(await take())
		const task = await take(machine, { kinds: ['audio'] })
		const { outputs } = (await machine.outputs(task, ['speech.flac', 'playback.m4a', 'a0/0.m4s'])).ok.data
		const buckets = outputs.map(({ url }) => new URL(url).pathname.split('/').slice(1, 3).join('/'))
		expect(buckets).toEqual(['s3/vault', 's3/vault', 's3/media'])
	})
})
