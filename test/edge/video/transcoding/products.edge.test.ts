/** @module-tag d1 */
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { getOrgUsage } from '#schema/contract/accounts/orgs.ts'
import { deleteAsset, resetThumbnail, setThumbnail, updateAsset } from '#schema/contract/video/assets.ts'
import { downloadAsset, downloadAudio, downloadVideo } from '#schema/contract/video/downloads.ts'
import {
	completeUpload,
	createUploadToken,
	createUploadUrl,
	importSource,
	uploadSource,
} from '#schema/contract/video/uploads.ts'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import { storedObjects } from '../../../support/edge/stored-objects.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { wholePng } from '../../../support/shared/whole-pictures.ts'
import { type FakeMachine, openMachine } from './fake-machine.ts'
import { aFilm } from './sources.ts'
import { openStudio } from './transcoding-fixture.ts'

let world: World
let ada: Person
let studio: ReturnType<typeof openStudio>
let machine: FakeMachine
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	studio = openStudio(world, ada)
	machine = await openMachine(world, { info: aFilm(30) })
})

async function makeFilm() {
	const { assetId, playbackId } = await studio.upload()
	await studio.start(assetId)
	await machine.drain()
	return { assetId, playbackId }
}

const stored = async () => (await Promise.all([env.VAULT, env.MEDIA].map(storedObjects))).flat()

async function settle() {
	for (let round = 0; round < 3; round++) {
		await world.cron('* * * * *')
		await world.deliver()
	}
}

describe('downloads of a processed video', () => {
	test('a processed video has a download for each rendition by its label; `best` is the largest', async () => {
		const { assetId, playbackId } = await makeFilm()
		const { renditions } = await studio.asset(assetId)
		expect(renditions.map(({ quality }) => quality)).toEqual(['720p', '480p', '360p', '240p'])
		const textOf = async (quality: string) => {
			const answer = await world.ask(downloadAsset, { params: { assetId }, query: { quality } }, ada)
			expect(answer.statements.length).toBeLessThanOrEqual(3)
			const text = await (await world.fetch(new Request(answer.ok.data.downloadUrl))).text()
			expect(text.length).toBe(answer.ok.data.fileSizeBytes)
			return text
		}
		for (const { quality } of renditions) expect(await textOf(quality)).toContain(`h264-${quality} 0`)
		expect(await textOf('best')).toBe(await textOf('720p'))
		const other = await world.ask(downloadAsset, { params: { assetId }, query: { quality: '1080p' } }, ada)
		expect(other.status).toBe(404)

		const downloadAsViewer = (quality: string) =>
			world.ask(downloadVideo, { params: { playbackId }, query: { quality } })
		expect((await downloadAsViewer('360p')).status).toBe(403)
		await world.ask(
			updateAsset,
			{ params: { assetId }, body: { publicSettings: { allowDownload: true } } },
			ada,
		)
		expect((await downloadAsViewer('360p')).status).toBe(200)
		expect((await downloadAsViewer('1080p')).status).toBe(404)
	})

	test('downloads are available as soon as they are made, even if the asset was cached before', async () => {
		const { assetId, playbackId } = await studio.upload()
		await world.ask(
			updateAsset,
			{ params: { assetId }, body: { publicSettings: { allowDownload: true } } },
			ada,
		)
		await studio.start(assetId)
		const ask = (quality: string) => world.ask(downloadVideo, { params: { playbackId }, query: { quality } })
		for (let task = await machine.claim(); task?.spec.kind !== 'download'; task = await machine.claim()) {
			if (!task) throw new Error('nothing to do')
			expect((await ask('best')).status).toBe(404)
			await machine.perform(task)
			if ((await studio.asset(assetId)).status === 'ready') {
				// The cached row has no download yet.
				expect([(await ask('best')).status, (await ask('720p')).status]).toEqual([404, 404])
				const first = await machine.claim({ kinds: ['download'] })
				if (!first) throw new Error('no download to make')
				await machine.perform(first)
				expect([(await ask('best')).status, (await ask('720p')).status]).toEqual([200, 200])
				return
			}
		}
		throw new Error('the asset did not become ready')
	})

	test('the downloads of a video are replaced by those of the next job', async () => {
		const { assetId } = await makeFilm()
		const download = (quality: string) =>
			world.ask(downloadAsset, { params: { assetId }, query: { quality } }, ada)
		machine.behavior.info = aFilm(20)
		await studio.start(assetId)
		await machine.drain()
		await settle()
		for (const quality of ['best', '240p']) expect((await download(quality)).status).toBe(200)
		expect((await world.ask(downloadAudio, { params: { assetId } }, ada)).status).toBe(200)
	})
})

test('the storage usage of an organization equals the size of its objects', async () => {
	const { assetId } = await makeFilm()
	const check = async () => {
		const { used } = (await world.ask(getOrgUsage, { params: { orgId: ada.orgId } }, ada)).ok.data
		expect(used.storageBytes).toBe((await stored()).reduce((sum, { size }) => sum + size, 0))
		expect(used.storageBytes).toBeGreaterThan(0)
	}
	await check()
	machine.behavior.info = aFilm(50)
	await studio.start(assetId)
	await machine.drain()
	await settle()
	await check()
})

test('each new thumbnail has a new, immutable URL', async () => {
	const { assetId } = await makeFilm()
	const urls = [(await studio.asset(assetId)).thumbnailUrl]
	await studio.start(assetId)
	await machine.drain()
	urls.push((await studio.asset(assetId)).thumbnailUrl)
	const params = { assetId }
	urls.push((await world.ask(setThumbnail, { params }, { ...ada, bytes: wholePng })).ok.data.thumbnailUrl)
	expect(new Set(urls).size).toBe(3)
	const { ok } = await world.ask(resetThumbnail, { params }, ada)
	expect(ok.data).toEqual({ thumbnailUrl: urls[1], hasCustomThumbnail: false, thumbnailFrame: null })
	const picture = await world.fetch(new Request(ok.data.thumbnailUrl))
	expect(await picture.text()).toBe('poster.jpg')
	expect(picture.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
})

test('a cached video costs no SQL, from its record to its last segment', async () => {
	const { playbackId } = await makeFilm()
	const watch = async () => {
		const record = await world.ask(getPlayback, { params: { playbackId } })
		const { manifestUrl, thumbnailUrl } = record.ok.data
		const texts: string[] = []
		const read = async (url: string | URL) => {
			const answer = await world.fetch(new Request(url))
			expect(answer.status, String(url)).toBe(200)
			texts.push(await answer.text())
			return texts.at(-1) ?? ''
		}
		await read(thumbnailUrl)
		for (const [line] of (await read(manifestUrl)).matchAll(/^[^#\n].*$/gm))
			for (const [segment] of (await read(new URL(line, manifestUrl))).matchAll(/^[^#\n].*$/gm))
				await read(new URL(segment, manifestUrl))
		return [texts.length, record.statements.length, world.statements.length]
	}
	await watch()
	const [read, recordStatements, allStatements] = await watch()
	expect(read).toBeGreaterThan(20)
	expect([recordStatements, allStatements]).toEqual([0, 0])
})

describe('a ready asset', () => {
	test('a ready asset rejects every kind of new source', async () => {
		const { assetId } = await makeFilm()
		const params = { assetId }
		const before = (await stored()).map(({ key }) => key)
		for (const answer of [
			await world.ask(createUploadUrl, { params }, ada),
			await world.ask(createUploadToken, { params, body: { fileSize: 1 } }, ada),
			await world.ask(uploadSource, { params }, { ...ada, bytes: 'another film' }),
			await world.ask(completeUpload, { params }, ada),
			await world.ask(importSource, { params, body: { sourceUrl: 'https://example.org/film.mp4' } }, ada),
		])
			expect([answer.status, answer.code]).toEqual([409, 'conflict'])
		expect((await stored()).map(({ key }) => key)).toEqual(before)
		expect((await studio.asset(assetId)).status).toBe('ready')
	})

	test('deleting a ready asset leaves no object and no row, including renditions and downloads', async () => {
		const { assetId } = await makeFilm()
		await studio.start(assetId)
		const task = await machine.claim()
		if (task) await machine.perform(task)
		expect((await world.ask(deleteAsset, { params: { assetId } }, ada)).status).toBe(200)
		await settle()
		expect(await stored()).toEqual([])
		for (const table of ['tasks', 'renditions', 'task_failures', 'asset_terms', 'asset_search'])
			expect(await world.deps((d) => d.db.all(`select * from ${table}`)), table).toEqual([])
		const deletedEvents = await world.deps((d) =>
			d.db.all("select 1 from outbox where type = 'asset.deleted'"),
		)
		expect(deletedEvents).toHaveLength(1)
	})
})
