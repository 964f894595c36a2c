import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { createAsset, updateAsset } from '#schema/contract/video/assets.ts'
import {
	downloadAiAudio,
	downloadAsset,
	downloadAudio,
	downloadVideo,
	downloadVideoAudio,
} from '#schema/contract/video/downloads.ts'
import { completeUpload, createUploadUrl, uploadSource } from '#schema/contract/video/uploads.ts'
import { addDownloadStatement } from '../../../../edge/video/assets/moves.ts'
import { deleteCachedPlayable } from '../../../../edge/video/assets/playable/playable.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { makeReady } from './ready-asset.ts'

let world: World
let ada: Person
let film: { id: string; playbackId: string }
const mp4 = '\0\0\0\x20ftypisom…the film'
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	film = await makeReady(world, ada, 'The "film" 🎬 2', {
		audioKey: 'downloads/x/audio.m4a',
		aiAudioKey: 'downloads/x/speech.wav',
		downloadKey: 'downloads/x/best.mp4',
	})
	await env.VAULT.put('downloads/x/audio.m4a', '\0\0\0\x20ftypM4A …')
	await env.VAULT.put('downloads/x/speech.wav', 'RIFF\0\0\0\0WAVE…')
	await env.VAULT.put('downloads/x/best.mp4', mp4)
})

const params = () => ({ assetId: film.id })
const allow = (allowDownload: boolean) =>
	world.ask(updateAsset, { params: params(), body: { publicSettings: { allowDownload } } }, ada)
const videoParams = () => ({ playbackId: film.playbackId })
const fetchAt = (url: string, headers = {}) => world.fetch(new Request(url, { headers }))

describe('a download', () => {
	test('a download is a URL that is valid for 15 minutes and sets the file name', async () => {
		const { downloadUrl, fileSizeBytes, filename } = (
			await world.ask(downloadAsset, { params: params(), query: { quality: 'best' } }, ada)
		).ok.data
		expect(filename).toBe('The _film_ 🎬 2.mp4')
		expect(fileSizeBytes).toBe(new TextEncoder().encode(mp4).length)
		const file = await fetchAt(downloadUrl)
		expect([file.status, await file.text()]).toEqual([200, mp4])
		expect(file.headers.get('content-disposition')).toBe(
			`attachment; filename="The _film_ _ 2.mp4"; filename*=UTF-8''The%20_film_%20%F0%9F%8E%AC%202.mp4`,
		)
		expect((await fetchAt(downloadUrl, { range: 'bytes=4-7' })).status).toBe(206)
		world.pass(14 * 60_000)
		expect((await fetchAt(downloadUrl)).status).toBe(200)
		world.pass(61_000)
		expect((await fetchAt(downloadUrl)).status).toBe(403)
	})

	test('a download of the audio or of the speech-recognition audio requires access to the organization', async () => {
		for (const [op, filename] of [
			[downloadAudio, 'The _film_ 🎬 2.m4a'],
			[downloadAiAudio, 'The _film_ 🎬 2.wav'],
		] as const) {
			const { ok } = await world.ask(op, { params: params() }, ada)
			expect(ok.data.filename).toBe(filename)
			expect((await fetchAt(ok.data.downloadUrl)).status).toBe(200)
			expect((await world.ask(op, { params: params() }, await world.person())).status).toBe(404)
		}
	})

	test('a download is the source by default, and 404 for a quality that does not exist', async () => {
		const { id } = (await world.ask(createAsset, { body: { title: 'New' } }, ada)).ok.data
		const ask = (quality?: string) =>
			world.ask(downloadAsset, { params: { assetId: id }, query: { ...(quality && { quality }) } }, ada)
		expect((await ask()).status).toBe(404)
		await world.ask(uploadSource, { params: { assetId: id } }, { ...ada, bytes: 'RIFF\0\0\0\0AVI …' })
		for (const quality of [undefined, 'source'])
			expect((await ask(quality)).ok.data).toMatchObject({ filename: 'New.avi', fileSizeBytes: 17 - 2 })
		for (const quality of ['best', '720p', '99999p']) expect((await ask(quality)).status, quality).toBe(404)
		for (const quality of ['../x', 'x'.repeat(33)]) expect((await ask(quality)).status, quality).toBe(400)
		expect((await world.ask(downloadAudio, { params: { assetId: id } }, ada)).status).toBe(404)
	})

	test('a download returns 404 if the source was overwritten after upload-complete', async () => {
		const { id } = (await world.ask(createAsset, { body: { title: 'New' } }, ada)).ok.data
		const request = { params: { assetId: id } }
		const { uploadUrl } = (await world.ask(createUploadUrl, request, ada)).ok.data
		const put = (body: string) =>
			world.fetch(
				new Request(uploadUrl, { method: 'PUT', body, headers: { 'content-length': String(body.length) } }),
			)
		await put('the film')
		await world.ask(completeUpload, request, ada)
		expect((await world.ask(downloadAsset, request, ada)).ok.data.fileSizeBytes).toBe(8)
		await put('something else')
		expect((await world.ask(downloadAsset, request, ada)).status).toBe(404)
	})

	test('a download ignores stored metadata that no header can carry', async () => {
		const labels = { contentType: 'video/é\u0100', cacheControl: 'no\u2028', contentDisposition: '電影' }
		await env.VAULT.put('downloads/x/best.mp4', mp4, { httpMetadata: labels })
		const { ok } = await world.ask(downloadAsset, { params: params(), query: { quality: 'best' } }, ada)
		const file = await fetchAt(ok.data.downloadUrl)
		expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/octet-stream'])
	})

	test('a download whose object is missing returns 404', async () => {
		await env.VAULT.delete('downloads/x/best.mp4')
		expect((await world.ask(downloadAsset, { params: params() }, ada)).status).toBe(404)
	})

	test('a download that is added later is available, and its size is counted once', async () => {
		const asset = { id: film.id, orgId: ada.orgId }
		const file = { key: 'downloads/x/audio.m4a', sizeBytes: 5 }
		const add = async () =>
			(await world.deps(({ db, now }) => db.batch([addDownloadStatement(db, asset, file, now)])))[0].length
		expect([await add(), await add()]).toEqual([1, 0])
		const rows = await world.deps((d) =>
			d.db.all(`select media_bytes as n from assets where id = '${film.id}'`),
		)
		expect(rows).toEqual([{ n: 5 }])
		const { ok } = await world.ask(downloadAsset, { params: params(), query: { quality: 'best' } }, ada)
		expect(ok.data.filename).toMatch(/\.m4a$/)
	})
})

describe('viewers', () => {
	const ask = async () => [
		await world.ask(downloadVideo, { params: videoParams(), query: {} }),
		await world.ask(downloadVideoAudio, { params: videoParams(), query: {} }),
	]

	test('viewers can download only if the asset allows it', async () => {
		for (const denied of await ask()) expect([denied.status, denied.code]).toEqual([403, 'forbidden'])
		await allow(true)
		for (const { ok } of await ask()) expect((await fetchAt(ok.data.downloadUrl)).status).toBe(200)
		await allow(false)
		for (const { status } of await ask()) expect(status).toBe(403)
	})

	test('viewers get 404 for the download of a missing rendition or an asset that is not ready', async () => {
		await allow(true)
		const query = { quality: '4320p' }
		expect((await world.ask(downloadVideo, { params: videoParams(), query })).status).toBe(404)
		await world.deps((d) =>
			d.db.all(`update assets set status = 'error' where id = '${film.id}' returning 1`),
		)
		await deleteCachedPlayable(film.playbackId)
		for (const { status } of await ask()) expect(status).toBe(404)
	})

	test('downloads by viewers cause no SQL while the asset is cached', async () => {
		await allow(true)
		await ask()
		for (const { statements } of await ask()) expect(statements).toEqual([])
	})
})
