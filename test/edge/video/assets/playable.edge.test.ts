/** @module-tag d1 */
import { expect, test } from 'vitest'
import { setSubtitles } from '#schema/contract/ai/subtitles/subtitles.ts'
import { playableCacheKey } from '../../../../edge/video/assets/playable/playable.ts'
import { assetStore, playableColumns } from '../../../../edge/video/assets/store.ts'
import { openWorld } from '../../../support/edge/world.ts'
import { makeReady } from '../../watch/playback/ready-asset.ts'

test('the key of a cached playable row follows from the names of all its columns', async () => {
	const world = await openWorld()
	const ada = await world.person()
	const { id: assetId, playbackId } = await makeReady(world, ada)
	const bytes = '00:00:00,000 --> 00:00:01,000\nHi'
	await world.ask(setSubtitles, { params: { assetId, lang: 'en' } }, { ...ada, bytes })
	const row = await world.deps(({ db }) => assetStore(db).findPlayable(playbackId))
	const { org, uploadedSubtitles, ...columns } = row ?? { org: {}, uploadedSubtitles: [] }
	const names = [columns, org, uploadedSubtitles[0] ?? {}].flatMap(Object.keys)
	expect(names.length).toBeGreaterThan(30)
	expect(names.toSorted()).toEqual(playableColumns.toSorted())
	expect(playableCacheKey('film')).toMatch(/^playable-\d+\/film$/)
})
