import { createAsset, getAsset } from '#schema/contract/video/assets.ts'
import { processAsset } from '#schema/contract/video/transcoding.ts'
import { uploadSource } from '#schema/contract/video/uploads.ts'
import type { Person, World } from '../../../support/edge/world.ts'

/** Returns the calls that a user makes before machines start to work. */
export const openStudio = (world: World, owner: Person) => ({
	async upload(who: Person = owner, title = 'Film') {
		const { id, playbackId } = (await world.ask(createAsset, { body: { title } }, who)).ok.data
		await world.ask(uploadSource, { params: { assetId: id } }, { ...who, bytes: `the film ${title}` })
		return { assetId: id, playbackId }
	},
	start: (assetId: string, body?: { playback: 'early' }, who: Person = owner) =>
		world.ask(processAsset, { params: { assetId }, ...(body && { body }) }, who),
	asset: async (assetId: string, who: Person = owner) =>
		(await world.ask(getAsset, { params: { assetId } }, who)).ok.data,
})
