import { beforeEach, expect, test } from 'vitest'
import { deleteAsset } from '#schema/contract/video/assets.ts'
import { getJob } from '#schema/contract/video/processing/jobs.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { openMachine } from './fake-machine.ts'
import { aFilm } from './sources.ts'
import { openStudio } from './transcoding-fixture.ts'

let world: World
let ada: Person
let studio: ReturnType<typeof openStudio>
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	studio = openStudio(world, ada)
})

const read = (jobId: string, who: Person = ada) => world.ask(getJob, { params: { jobId } }, who)

test('a job has the values that its asset shows, its asset and its attempts, in one statement', async () => {
	const { assetId } = await studio.upload()
	const { jobId } = (await studio.start(assetId)).ok.data
	const none = { failed: 0, running: 0 }
	expect((await read(jobId)).ok.data).toMatchObject({ assetId, status: 'queued', attempts: none })

	const machine = await openMachine(world, { info: aFilm(10) })
	const task = await machine.claim()
	if (!task) throw new Error('nothing to do')
	const { statements, ok } = await read(jobId)
	const { job, currentStep } = await studio.asset(assetId)
	expect(ok.data).toEqual({ ...job, assetId, currentStep, attempts: { failed: 0, running: 1 } })
	expect(currentStep).toBe('inspecting')
	expect(statements.filter((sql) => sql.includes('from "jobs"'))).toHaveLength(1)

	await machine.fail(task, 'permanent', 'This file has no picture.')
	expect((await read(jobId)).ok.data).toMatchObject({
		status: 'failed',
		errorMessage: 'This file has no picture.',
		currentStep: null,
		attempts: { failed: 1, running: 0 },
	})
})

test('a job is unknown to other organizations, with another id and after its asset was deleted', async () => {
	const { assetId } = await studio.upload()
	const { jobId } = (await studio.start(assetId)).ok.data
	expect((await read(jobId, await world.person())).status).toBe(404)
	expect((await read(`job_${'0'.repeat(26)}`)).status).toBe(404)
	expect((await read('job')).status).toBe(404)
	await world.ask(deleteAsset, { params: { assetId } }, ada)
	expect((await read(jobId)).status).toBe(404)
})

test('reading a job takes as many statements among many jobs as among few', async () => {
	const { assetId } = await studio.upload()
	const { jobId } = (await studio.start(assetId)).ok.data
	const { statements: few } = await read(jobId)
	for (let i = 0; i < 3; i++) await studio.start((await studio.upload()).assetId)
	expect((await read(jobId)).statements).toEqual(few)
})
