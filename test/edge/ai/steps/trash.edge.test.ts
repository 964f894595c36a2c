import { beforeEach, expect, test } from 'vitest'
import { deleteAsset, restoreAsset } from '#schema/contract/video/assets.ts'
import { resumeSteps, startSteps } from '../../../../edge/ai/steps/run.ts'
import { trashAsset } from '../../../../edge/video/assets/trash/trash.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { select } from '../../community/community.ts'
import { openMachine } from '../../video/transcoding/fake-machine.ts'
import { aSmallFilm } from '../../video/transcoding/sources.ts'
import { openStudio } from '../../video/transcoding/transcoding-fixture.ts'

let world: World
let ada: Person
let machine: Awaited<ReturnType<typeof openMachine>>
let assetId: string
let jobId: string

const speech = { engine: 'whisper-cli', languages: ['*'], realTimeFactor: 0.2 }
const spoken = [{ fromMs: 1_000, toMs: 9_000, text: 'Bread needs flour and water.' }]

/** Leaves an asset that is ready, with a speech task that waits for a machine. */
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	machine = await openMachine(world, { info: aSmallFilm(30), spoken }, 'hearing', ['libx264'], speech)
	const studio = openStudio(world, ada)
	assetId = (await studio.upload()).assetId
	await studio.start(assetId)
	for (let round = 0; round < 5 && (await listSteps()).length === 0; round++) {
		await machine.drain()
		await world.deliver()
	}
	const [job] = await select<{ id: string }>(world, 'select id from jobs')
	jobId = job?.id ?? ''
})

const params = () => ({ assetId })
const trash = () => world.ask(deleteAsset, { params: params(), query: { trash: 'true' } }, ada)
const restore = async () => {
	expect((await world.ask(restoreAsset, { params: params() }, ada)).status).toBe(200)
	await world.deliver()
}
const listSteps = () =>
	select<{ step: string; status: string }>(
		world,
		`select step, status from ai_steps where asset_id = '${assetId}' order by step`,
	)
const transcription = async () => (await listSteps()).find(({ step }) => step === 'transcription')?.status
const listOpenTasks = () => select(world, "select 1 from tasks where state in ('queued', 'running')")
const finish = async () => {
	for (let round = 0; round < 4; round++) {
		await machine.drain()
		await world.deliver()
	}
	const ends = await select<{ type: string }>(world, "select type from outbox where type like 'ai.%'")
	return { transcription: await transcription(), ends: ends.map(({ type }) => type) }
}
const finished = { transcription: 'completed', ends: ['ai.completed'] }

test('a move to the trash stops open AI steps and their tasks, and a restore starts them again', async () => {
	expect([await transcription(), (await listOpenTasks()).length]).toEqual(['pending', 1])
	expect((await trash()).status).toBe(200)
	expect((await listSteps()).filter(({ status }) => status === 'pending' || status === 'processing')).toEqual(
		[],
	)
	expect(await listOpenTasks()).toEqual([])
	expect(await finish()).toMatchObject({ transcription: 'skipped', ends: [] })
	await restore()
	expect(await finish()).toEqual(finished)
})

test('a repeated message about a restored asset does not start its AI steps twice', async () => {
	await trash()
	await restore()
	const before = await select(world, 'select step, version from ai_steps')
	await world.perform((deps) => resumeSteps(deps, ada.orgId, assetId))
	expect(await select(world, 'select step, version from ai_steps')).toEqual(before)
	expect(await finish()).toEqual(finished)
})

/** Undoes what the end of processing began, as if its message had not arrived yet. */
async function forgetSteps(): Promise<void> {
	await select(world, 'delete from ai_steps returning 1')
	await select(world, "delete from tasks where kind = 'speech-plan' returning 1")
}

test('AI steps begin after a restore if processing had ended while the video was in the trash', async () => {
	await forgetSteps()
	await trash()
	await world.perform((deps) => startSteps(deps, { assetId, jobId }))
	expect(await listSteps()).toEqual([])
	await restore()
	expect(await finish()).toEqual(finished)
})

test('AI steps that begin while their video moves to the trash begin after its restore instead', async () => {
	await forgetSteps()
	await world.perform(async (deps) => {
		const batch = async (statements: Parameters<typeof deps.db.batch>[0]) => {
			await trashAsset(deps, ada.orgId, assetId)
			return deps.db.batch(statements)
		}
		const db = new Proxy(deps.db, {
			get: (target, name) => (name === 'batch' ? batch : Reflect.get(target, name)),
		})
		await startSteps({ ...deps, db }, { assetId, jobId }).catch(() => undefined)
	})
	expect([await listSteps(), await listOpenTasks()]).toEqual([[], []])
	await restore()
	expect(await finish()).toEqual(finished)
})

test('AI steps begin once if the end of processing is reported after the restore', async () => {
	await forgetSteps()
	await trash()
	await restore()
	const begun = await select(world, 'select step, version from ai_steps')
	await world.perform((deps) => startSteps(deps, { assetId, jobId }))
	expect(await select(world, 'select step, version from ai_steps')).toEqual(begun)
	expect(await finish()).toEqual(finished)
})

test('AI steps that a restore starts again keep the language and the force of their run', async () => {
	const runs = () =>
		select(
			world,
			"select step, language, is_forced from ai_steps where step in ('chapters', 'transcription') order by step",
		)
	const forced = "update ai_steps set language = 'de', is_forced = 1, status = 'pending'"
	await select(world, `${forced} where step = 'transcription' returning 1`)
	await select(world, "update ai_steps set status = 'pending' where step = 'chapters' returning 1")
	const before = await runs()
	expect(before).toMatchObject([{ is_forced: 0 }, { language: 'de', is_forced: 1 }])
	await trash()
	await restore()
	expect(await runs()).toEqual(before)
})
