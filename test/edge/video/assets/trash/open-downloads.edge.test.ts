import { expect, test } from 'vitest'
import { deleteAsset, restoreAsset } from '#schema/contract/video/assets.ts'
import { downloadAsset } from '#schema/contract/video/downloads.ts'
import { openWorld } from '../../../../support/edge/world.ts'
import { openMachine } from '../../transcoding/fake-machine.ts'
import { aFilm } from '../../transcoding/sources.ts'
import { openStudio } from '../../transcoding/transcoding-fixture.ts'

test('downloads that a move to the trash stops are made after the restore, each once', async () => {
	const world = await openWorld()
	const ada = await world.person()
	const studio = openStudio(world, ada)
	const machine = await openMachine(world, { info: aFilm(30) })
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	let open = await machine.claim()
	for (; open && open.spec.kind !== 'download'; open = await machine.claim()) await machine.perform(open)
	if (!open) throw new Error('no download to make')
	const download = (quality: string) =>
		world.ask(downloadAsset, { params: { assetId }, query: { quality } }, ada)

	await world.ask(deleteAsset, { params: { assetId }, query: { trash: 'true' } }, ada)
	expect((await machine.heartbeat(open)).status).toBe(410)
	expect(await machine.claim()).toBeNull()

	await world.ask(restoreAsset, { params: { assetId } }, ada)
	const messages = world.messages.splice(0)
	await world.deliver(messages)
	await world.deliver(messages)
	const made = await machine.drain()
	expect(made).toEqual(made.map(() => 'download'))
	await world.deliver(messages)
	for (const quality of ['best', '240p']) expect((await download(quality)).status).toBe(200)
	expect((await machine.heartbeat(open)).status, 'of the former lease').toBe(409)
	expect(await machine.claim(), 'a repeated message makes nothing again').toBeNull()
})
