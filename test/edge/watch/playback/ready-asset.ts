import { createAsset } from '#schema/contract/video/assets.ts'
import { importSource } from '#schema/contract/video/uploads.ts'
import {
	markProcessingStatement,
	markQueuedStatement,
	markReadyStatement,
	type ProcessingOutputs,
} from '../../../../edge/video/assets/moves.ts'
import type { Person, World } from '../../../support/edge/world.ts'

/** Creates an asset in the state that processing leaves. */
export async function makeReady(
	world: World,
	who: Person,
	title = 'Film',
	more: Partial<ProcessingOutputs> = {},
) {
	const { id, playbackId } = (await world.ask(createAsset, { body: { title } }, who)).ok.data
	const asset = { id, orgId: who.orgId }
	await world.ask(importSource, { params: { assetId: id }, body: { sourceUrl: 'https://example.org/' } }, who)
	const outputs = {
		durationSec: 12.5,
		manifestKey: `media/${playbackId}/v1/master.m3u8`,
		frameKey: null,
		placeholder: null,
		width: null,
		height: null,
		previewKey: null,
		storyboardKey: null,
		audioTrack: { codec: 'aac', bitrateKbps: 128, sampleRate: 48_000, channels: 2 },
		audioKey: null,
		aiAudioKey: null,
		downloadKey: null,
		mediaBytes: 0,
		...more,
	}
	await world.deps(({ db, now }) =>
		db.batch([
			markQueuedStatement(db, asset, now),
			markProcessingStatement(db, asset, now),
			markReadyStatement(db, asset, outputs, now),
		]),
	)
	return { id, playbackId }
}
