/** @module-tag d1 */
import { beforeEach, expect, test } from 'vitest'
import { presignOutputs } from '#schema/contract/video/leases.ts'
import { DAY, HOUR } from '../../../../../edge/platform/clock.ts'
import { storedObjects } from '../../../../support/edge/stored-objects.ts'
import type { Person } from '../../../../support/edge/world.ts'
import { openMachine } from '../../../video/transcoding/fake-machine.ts'
import { aFilm } from '../../../video/transcoding/sources.ts'
import { openStudio } from '../../../video/transcoding/transcoding-fixture.ts'
import { type DeletionWorld, openDeletionWorld } from '../deletion-world.ts'

let world: DeletionWorld
let ada: Person
beforeEach(async () => {
	world = await openDeletionWorld()
	// The first person of an installation is its superadmin, who can't be deleted.
	await world.person({ email: 'root@example.org' })
	ada = await world.person({ email: 'ada.lovelace@example.org' })
})

const stored = async () => {
	const { MEDIA, VAULT } = world.bindings
	const keys = await Promise.all([MEDIA, VAULT].map(storedObjects))
	return keys
		.flat()
		.map(({ key }) => key)
		.filter((key) => !/^(erasures\/|last-erasure\.json$)/.test(key))
}

test('the tasks of a deleted organization end at once, and their objects are deleted', async () => {
	const studio = openStudio(world, ada)
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	await world.request(ada)
	await world.settle()
	world.pass(30 * DAY)
	const machine = await openMachine(world, { info: aFilm(60) })
	const inspect = await machine.claim()
	if (!inspect) throw new Error('nothing to do')
	await machine.perform(inspect)
	const [first, second] = [await machine.claim(), await machine.claim()]
	if (!first || !second) throw new Error('nothing to do')
	const made = await machine.work(first)
	await machine.put(first, made.objects)
	// An upload URL that was issued before the deletion and is used afterwards.
	const name = (await machine.work(second)).objects[0]?.[0] ?? ''
	const params = { taskId: second.id }
	const request = { params, body: { epoch: second.epoch, names: [name] } }
	const [late] = (await world.ask(presignOutputs, request, { token: machine.token })).ok.data.outputs
	if (!late) throw new Error('no address')
	expect((await stored()).length).toBeGreaterThan(1)

	await world.cron('*/10 * * * *')
	await world.settle()
	expect(await world.rows(`select id from orgs where id = '${ada.orgId}'`)).toEqual([])
	for (const answer of [
		await machine.heartbeat(first),
		await machine.heartbeat(second),
		await machine.outputs(second, [name]),
		await machine.complete(first, made.result),
		await machine.fail(second, 'transient'),
		await machine.release(second),
	])
		expect(answer.status).toBe(410)
	expect(await machine.claim()).toBeNull()
	for (const table of ['assets', 'jobs', 'tasks', 'task_failures', 'renditions'])
		expect(await world.rows(`select 1 from ${table}`)).toEqual([])
	await world.cron('* * * * *')
	await world.settle()
	expect(await stored()).toEqual([])

	const headers = { ...late.headers, 'content-length': '4' }
	await world.fetch(new Request(late.url, { method: 'PUT', body: 'late', headers }))
	world.pass(DAY + HOUR)
	await world.cron('* * * * *')
	await world.settle()
	expect(await stored()).toEqual([])
})
