import { createAsset } from '#schema/contract/assets.ts'
import type { Person, World } from '../world.ts'

/** An asset as processing leaves it. */
export async function makeReady(world: World, who: Person, title = 'Film') {
	const { id, playbackId } = (await world.ask(createAsset, { body: { title } }, who)).ok.data
	await world.deps((d) =>
		d.db.all(
			`update assets set status = 'ready', duration_sec = 12.5, manifest_key = 'media/${playbackId}/v1/master.m3u8' where id = '${id}' returning 1`,
		),
	)
	return { id, playbackId }
}
