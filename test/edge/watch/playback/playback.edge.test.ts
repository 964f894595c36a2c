import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import {
	AssetStatus,
	createAsset,
	deleteAsset,
	resetThumbnail,
	setThumbnail,
	updateAsset,
} from '#schema/contract/video/assets.ts'
import { getAssetPlayback, getPlayback } from '#schema/contract/watch/playback.ts'
import { openWorld, type Person, type Who, type World } from '../../../support/edge/world.ts'
import { wholeJpg } from '../../../support/shared/whole-pictures.ts'
import { makeReady } from './ready-asset.ts'

let world: World
let ada: Person
let film: { id: string; playbackId: string }
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	film = await makeReady(world, ada)
})

const watch = (who: Who = {}, playbackId = film.playbackId) =>
	world.ask(getPlayback, { params: { playbackId } }, who)
const setStatus = (status: string) =>
	world.deps((d) => d.db.all(`update assets set status = '${status}' where id = '${film.id}' returning 1`))

describe('the playback record', () => {
	test('the playback record has exactly the fields that a player needs', async () => {
		const { ok } = await watch()
		expect(ok).toEqual({
			data: {
				playbackId: film.playbackId,
				manifestUrl: `https://edge.test/media/${film.playbackId}/v1/master.m3u8`,
				thumbnailUrl: `https://edge.test/v1/playback/${film.playbackId}/thumbnail`,
				title: 'Film',
				description: null,
				durationSec: 12.5,
				width: null,
				height: null,
				aspectRatio: null,
				placeholder: null,
				storyboardUrl: null,
				canEdit: false,
				publicSettings: {
					allowDownload: false,
					showTranscript: true,
					showChapters: true,
					showHighlights: true,
					showComments: true,
				},
				settings: { primaryColor: '#c2371f', theme: 'dark', logoUrl: null },
				audio: { codec: 'aac', bitrateKbps: 128, sampleRate: 48_000, channels: 2 },
				ai: {
					status: 'none',
					subtitlesUrl: null,
					srtSubtitlesUrl: null,
					chaptersUrl: null,
					transcriptUrl: null,
					language: null,
					subtitles: [],
				},
			},
		})
	})

	test('the playback record is readable from any origin without credentials', async () => {
		const { headers } = await watch({ headers: { origin: 'https://elsewhere.example' } })
		expect(headers.get('access-control-allow-origin')).toBe('*')
		expect(headers.get('access-control-allow-credentials')).toBeNull()
	})

	test.each(AssetStatus.options.filter((status) => status !== 'ready'))(
		'the playback record of an asset with status %s returns the same 404 as an unknown id',
		async (status) => {
			await setStatus(status)
			const [known, unknown] = [await watch(), await watch({}, 'x'.repeat(22))]
			expect(known.status).toBe(404)
			expect([known.text, known.code]).toEqual([unknown.text, unknown.code])
		},
	)

	test('the playback record costs no SQL while it is cached', async () => {
		expect((await watch()).statements).toHaveLength(1)
		for (let i = 0; i < 5; i++) expect((await watch()).statements).toEqual([])
	})

	test('the playback record reflects a change at once', async () => {
		const change = (body: object) => world.ask(updateAsset, { params: { assetId: film.id }, body }, ada)
		await watch()
		await change({ title: 'Better', publicSettings: { allowDownload: true } })
		const seen = await watch()
		expect(seen.ok.data).toMatchObject({ title: 'Better', publicSettings: { allowDownload: true } })
		expect(seen.statements).toHaveLength(1)
		const params = { assetId: film.id }
		const { thumbnailUrl } = (await world.ask(setThumbnail, { params }, { ...ada, bytes: wholeJpg })).ok.data
		expect((await watch()).ok.data.thumbnailUrl).toBe(thumbnailUrl)
		await world.ask(resetThumbnail, { params }, ada)
		expect((await watch()).ok.data.thumbnailUrl).not.toBe(thumbnailUrl)
		await world.ask(deleteAsset, { params }, ada)
		expect((await watch()).status).toBe(404)
	})

	test('the playback record sets canEdit only for callers who may change the asset', async () => {
		const bo = await world.person()
		const key = async (scopes: ('read' | 'write')[]) => {
			const body = { name: 'k', scopes }
			return (await world.ask(createApiKey, { params: { orgId: ada.orgId }, body }, ada)).ok.data.key
		}
		const canEdit = async (who: Who) => (await watch(who)).ok.data.canEdit
		expect(await canEdit(ada)).toBe(true)
		expect(await canEdit({ key: await key(['write']) })).toBe(true)
		expect(await canEdit({ key: await key(['read']) })).toBe(false)
		expect(await canEdit(bo)).toBe(false)
		expect(await canEdit({ token: 'expired' })).toBe(false)
		expect(await canEdit({})).toBe(false)
	})
})

describe('the playback of an asset for its organization', () => {
	const ask = (assetId: string, who: Person = ada) =>
		world.ask(getAssetPlayback, { params: { assetId } }, who)

	test('the playback of an asset for its organization has the manifest URL', async () => {
		expect((await ask(film.id)).ok.data).toEqual({
			assetId: film.id,
			playbackId: film.playbackId,
			manifestUrl: `https://edge.test/media/${film.playbackId}/v1/master.m3u8`,
			thumbnailUrl: `https://edge.test/v1/playback/${film.playbackId}/thumbnail`,
		})
	})

	test('the playback of an asset returns 409 to its organization until it is ready, and 404 to others', async () => {
		const { id } = (await world.ask(createAsset, { body: { title: 'New' } }, ada)).ok.data
		expect([(await ask(id)).status, (await ask(id)).code]).toEqual([409, 'conflict'])
		expect((await ask(film.id, await world.person())).status).toBe(404)
	})
})
