/** @module-tag ffmpeg */

import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, describe as group, test } from 'vitest'
import { readEvents } from '#schema/contract/accounts/webhooks/deliveries.ts'
import { createAsset, listAssets, updateAsset } from '#schema/contract/video/assets.ts'
import { standardAudioConfig } from '#schema/contract/video/audio.ts'
import {
	downloadAiAudio,
	downloadAsset,
	downloadAudio,
	downloadVideo,
	downloadVideoAudio,
} from '#schema/contract/video/downloads.ts'
import { processAsset } from '#schema/contract/video/transcoding.ts'
import { importSource } from '#schema/contract/video/uploads.ts'
import { getAssetPlayback, getPlayback } from '#schema/contract/watch/playback.ts'
import { startMachine } from '../../../scripts/lib/machine-process.ts'
import { validatePresentation } from '../../../scripts/operate/hls-validator/validate.ts'
import { openPlayer } from '../../edge/watch/playback/player.node.ts'
import { chromiumPath } from '../../support/shared/chromium.ts'
import { corpus } from '../../support/shared/corpus.ts'
import { needs } from '../../support/shared/needs.ts'
import { previewsIn } from '../../support/shared/previews.ts'
import { examine, readNumbers } from '../../transcoder-daemon/corpus/encoded.ts'
import { programs } from '../../transcoder-daemon/ffmpeg/programs.ts'
import { makeVideo } from '../../transcoder-daemon/tasks/make-video.ts'
import { decodeSound, tonesIn } from '../../transcoder-daemon/tasks/tones.ts'
import { until } from '../fleet/installation.ts'
import { describeFile } from './media-file.ts'
import { type Installation, startInstallation } from './one-command-installation.ts'
import { readProgress } from './progress-events.ts'

/** As taken with an upright phone: stored in landscape with a rotation. The number of each frame is at its top. */
const clip = corpus.find(({ name }) => name === 'rotation-90')
const SECONDS = 5
const FRAMES = 125
const text = expect.any(String)
const count = (length: number) => Array.from({ length }, (_, n) => n)

let installation: Installation
let dir: string
let source: string
beforeAll(async () => {
	installation = await startInstallation()
	dir = join(installation.folder, 'files')
	await mkdir(dir)
	source = join(dir, 'clip.mp4')
	await clip?.make(programs.ffmpeg, source)
})
afterAll(() => installation?.[Symbol.asyncDispose]())

const validationErrors = async (manifestUrl: string) =>
	(await validatePresentation(manifestUrl)).findings.filter(({ level }) => level === 'MUST')

/** Saves a download as a file. */
async function save(url: string, name: string): Promise<string> {
	const response = await fetch(url)
	expect([url, response.status]).toEqual([url, 200])
	const path = join(dir, name)
	await writeFile(path, await response.bytes())
	return path
}

group('an installation', { shuffle: false }, () => {
	group('with a clip from a phone', { shuffle: false }, () => {
		let assetId: string
		let playbackId: string

		test('publishes an uploaded video, with increasing progress', async () => {
			const { owner, url } = installation
			assetId = await owner.process(source, 'A clip')
			const events = await readProgress(`${url}/v1/assets/${assetId}/progress`, owner.token)
			const [first, last] = [events[0], events.at(-1)]
			expect(['queued', 'processing']).toContain(first?.status)
			expect(last).toEqual({
				...{ status: 'ready', currentStep: null, jobStatus: 'completed', progress: 100 },
				...{ estimatedSecondsLeft: null, errorMessage: null },
			})
			const shares = events.map(({ progress }) => progress)
			expect(shares).toEqual(shares.toSorted((a, b) => a - b))
		})

		test('returns all fields of a ready asset and its playback', async () => {
			const { owner } = installation
			// It begins right after the asset became ready.
			const asset = await until(async () => {
				const current = await owner.get(assetId)
				return current.aiJob && current
			})
			playbackId = asset.playbackId
			expect(asset).toEqual({
				id: assetId,
				title: 'A clip',
				description: null,
				status: 'ready',
				playbackId: expect.stringMatching(/^[0-9A-Za-z]{22}$/),
				collectionId: null,
				durationSec: SECONDS,
				thumbnailUrl: expect.stringContaining(`${installation.url}/v1/playback/${playbackId}/thumbnail?v=`),
				hasCustomThumbnail: false,
				thumbnailFrame: null,
				...{ width: 360, height: 640, placeholder: expect.stringMatching(/^[A-Za-z0-9+/]{20,40}=*$/) },
				watchUrl: `${installation.url}/watch/${playbackId}`,
				embedUrl: `${installation.url}/embed/${playbackId}`,
				visibility: 'public',
				metadata: {},
				publicSettings: {
					...{ allowDownload: false, showTranscript: true, showChapters: true },
					...{ showHighlights: true, showComments: true },
				},
				createdAt: text,
				updatedAt: text,
				renditions: [
					{ quality: '360p', width: 360, height: 640, bitrateKbps: expect.any(Number), codec: 'h264' },
					{ quality: '240p', width: 240, height: 426, bitrateKbps: expect.any(Number), codec: 'h264' },
				],
				currentStep: null,
				job: {
					...{ id: text, status: 'completed', workerKind: text, hwAccelUsed: expect.any(Boolean) },
					...{ progress: 100, estimatedSecondsLeft: null, errorMessage: null, leftOut: [] },
					...{ createdAt: text, startedAt: text, endedAt: text },
				},
				aiJob: expect.anything(),
				highlights: [],
				audioConfig: standardAudioConfig,
				sourceSizeBytes: (await stat(source)).size,
			})
			const record = (await owner.client().call(getPlayback, { params: { playbackId }, query: {} })).data
			const media = `${installation.url}/media/${playbackId}/`
			expect(record).toMatchObject({
				playbackId,
				manifestUrl: expect.stringMatching(new RegExp(`^${media}.*\\.m3u8$`)),
				thumbnailUrl: asset.thumbnailUrl,
				durationSec: SECONDS,
				...{ width: 360, height: 640, aspectRatio: '9:16' },
				placeholder: expect.stringMatching(/^[A-Za-z0-9+/]{20,40}=*$/),
				storyboardUrl: expect.stringMatching(new RegExp(`^${media}.*/storyboard\\.vtt$`)),
				audio: { codec: 'aac', bitrateKbps: 128, sampleRate: 48_000, channels: 2 },
			})
			const { manifestUrl, thumbnailUrl } = record
			const ofOwner = (await owner.client().call(getAssetPlayback, { params: { assetId } })).data
			expect(ofOwner).toEqual({ assetId, playbackId, manifestUrl, thumbnailUrl })
		})

		test('skips the AI steps without a speech engine, and says what to install', async () => {
			const aiJob = await until(async () => {
				const asset = await installation.owner.get(assetId)
				return asset.aiJob?.status === 'pending' ? null : asset.aiJob
			})
			expect(aiJob).toEqual({
				...{ status: 'skipped', transcriptionStatus: 'skipped', subtitlesStatus: 'skipped' },
				...{ chaptersStatus: 'skipped', highlightsStatus: 'skipped' },
				reasons: {
					...{ subtitles: text, chapters: text, highlights: text },
					transcription: expect.stringContaining('PLAYHOUSE_ASR_COMMAND'),
				},
			})
		})

		test(
			'a processed video is valid HLS that plays in a browser to its end',
			needs({ Chromium: chromiumPath }),
			async () => {
				const query = { params: { playbackId }, query: {} }
				const { manifestUrl } = (await installation.owner.client().call(getPlayback, query)).data
				expect(await validationErrors(manifestUrl)).toEqual([])
				await using player = await openPlayer()
				const { failure, ranges, frames, width, height, responses } = await player.play(manifestUrl)
				expect(failure).toBeNull()
				expect(ranges).toEqual([[expect.closeTo(0, 1), expect.closeTo(SECONDS, 1)]])
				expect(frames).toBeGreaterThan(0)
				expect(width).toBeLessThan(height)
				expect(responses.filter(({ status, redirected }) => status >= 300 || redirected)).toEqual([])
			},
		)

		test('the images of a rotated video are upright', async () => {
			const query = { params: { playbackId }, query: {} }
			const record = (await installation.owner.client().call(getPlayback, query)).data
			const poster = await save(record.thumbnailUrl, 'poster.jpg')
			expect(await describeFile(poster)).toMatchObject({
				pictures: [{ codec: 'mjpeg', width: 360, height: 640 }],
			})
			// If the image were rotated, its number would not be at the top.
			const [number = -1] = await readNumbers(poster, dir)
			expect(number).toBeGreaterThanOrEqual(0)
			expect(number).toBeLessThan(FRAMES)

			const { headers } = await fetch(`${installation.url}/v1/playback/${playbackId}`)
			const { animation, storyboard } = previewsIn(headers.get('link'))
			expect(storyboard).toBe(record.storyboardUrl)
			const vtt = await (await fetch(storyboard)).text()
			const cues = [...vtt.matchAll(/^([\d:.]+) --> ([\d:.]+)\n(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)$/gm)]
			const secondsAt = (clock = '') => clock.split(':').reduce((sum, part) => 60 * sum + Number(part), 0)
			expect(secondsAt(cues[0]?.[1])).toBe(0)
			expect(secondsAt(cues.at(-1)?.[2])).toBe(SECONDS)
			for (const [k, [, begin]] of cues.entries()) if (k > 0) expect(begin).toBe(cues[k - 1]?.[2])
			const sheet = await save(new URL(cues[0]?.[3] ?? '', storyboard).href, 'sheet.jpg')
			for (const [, begin, , , x, y, width, height] of cues) {
				const tile = join(dir, `tile-${x}-${y}.png`)
				await examine(['-i', sheet, '-vf', `crop=${width}:${height}:${x}:${y}`, '-y', tile], dir)
				expect(await readNumbers(tile, dir)).toEqual([Math.round(secondsAt(begin) * 25)])
				expect(Number(width)).toBeLessThan(Number(height))
			}
			const preview = await fetch(animation)
			expect([preview.status, preview.headers.get('content-type')]).toEqual([200, 'image/webp'])
			expect((await preview.text()).includes('ANIM')).toBe(true)
		})

		test('a processed video has the original, each quality and the audio as downloads', async () => {
			const { owner } = installation
			const { call } = owner.client()
			const params = { assetId }
			const download = async (quality?: string) =>
				(await call(downloadAsset, { params, query: { ...(quality && { quality }) } })).data
			const original = await save((await download()).downloadUrl, 'original.mp4')
			expect(await describeFile(original)).toEqual(await describeFile(source))

			for (const { quality, width, height } of (await owner.get(assetId)).renditions) {
				// Downloads are made after the asset is ready.
				const { downloadUrl, fileSizeBytes, filename } = await until(() =>
					download(quality).catch(() => null),
				)
				const path = await save(downloadUrl, `${quality}.mp4`)
				expect(filename).toBe('A clip.mp4')
				expect(await describeFile(path)).toEqual({
					bytes: fileSizeBytes,
					seconds: expect.closeTo(SECONDS, 1),
					pictures: [{ codec: 'h264', width, height }],
					sounds: [{ codec: 'aac', sampleRate: 48_000, channels: 2 }],
				})
				expect(await readNumbers(path, dir)).toEqual(count(FRAMES))
				const tones = tonesIn(await decodeSound(path, dir))
				expect(tones).toHaveLength(SECONDS)
				for (const [second, tone] of tones.entries()) expect(Math.abs(tone - second)).toBeLessThan(1 / 25)
			}
			expect((await download('best')).downloadUrl).toContain('360p')
			await expect(download('1080p')).rejects.toMatchObject({ status: 404 })

			for (const [operation, name, sampleRate, channels] of [
				[downloadAudio, 'sound.m4a', 48_000, 2],
				[downloadAiAudio, 'speech.m4a', 16_000, 1],
			] as const) {
				const { downloadUrl, filename } = (await call(operation, { params })).data
				expect(filename).toBe('A clip.m4a')
				const path = await save(downloadUrl, name)
				expect(await describeFile(path)).toMatchObject({
					seconds: expect.closeTo(SECONDS, 0),
					pictures: [],
					sounds: [{ codec: 'aac', sampleRate, channels }],
				})
				expect(tonesIn(await decodeSound(path, dir))).toHaveLength(SECONDS)
			}

			const watch = { params: { playbackId }, query: {} }
			await expect(call(downloadVideo, watch)).rejects.toMatchObject({ status: 403 })
			await call(updateAsset, { params, body: { publicSettings: { allowDownload: true } } })
			expect((await call(downloadVideo, { ...watch, query: { quality: '240p' } })).data.filename).toBe(
				'A clip.mp4',
			)
			expect((await call(downloadVideoAudio, watch)).data.filename).toBe('A clip.m4a')
		})
	})

	test('early playback publishes a standard source, and adds renditions later', async () => {
		const { owner } = installation
		const gop = ['-g', '20', '-keyint_min', '20', '-sc_threshold', '0', '-crf', '35']
		// Long enough that processing continues for seconds after the first playlist, even on a fast machine.
		const path = await makeVideo(dir, {
			name: 'long.mp4',
			rate: '10',
			seconds: 120,
			size: '854x480',
			args: gop,
		})
		const { call } = owner.client()
		const { next: after } = await call(readEvents, { query: { limit: '200' } })
		const assetId = await owner.process(path, 'Early', 'early')
		const { playbackId } = await owner.settled(assetId)
		const record = { params: { playbackId }, query: {} }
		const readManifest = async () => (await owner.client().call(getPlayback, record)).data.manifestUrl
		const manifests = [await readManifest()]
		const done = await until(async () => {
			const asset = await owner.get(assetId)
			manifests.push(await readManifest())
			return asset.job?.status === 'completed' ? asset : null
		})
		expect([done.status, done.renditions.map(({ quality }) => quality)]).toEqual([
			'ready',
			['480p', '360p', '240p'],
		])
		// A poll may come after the end of processing on a busy machine; the events say that it could be played before.
		const types = ['asset.playable', 'asset.rendition.ready', 'asset.ready'] as const
		const { data: events } = await call(readEvents, {
			query: { after: String(after), types: types.join(',') },
		})
		expect(events.map((event) => event.type)).toEqual([types[0], types[1], types[1], types[1], types[2]])
		expect(events[1]).toMatchObject({ data: { assetId, rendition: { quality: '480p' } } })

		const versions = manifests.map((url) => Number(/master-(\d+)\.m3u8$/.exec(url)?.[1]))
		expect(versions).toEqual(versions.toSorted((a, b) => a - b))
		expect(await validationErrors(await readManifest())).toEqual([])
		// Players that opened it earlier can continue with the playlists they have.
		// At first there is only the copy, which breaks this one rule.
		const several = 'There are several variants with different bit rates.'
		for (const url of new Set(manifests))
			expect((await validationErrors(url)).filter(({ text }) => text !== several)).toEqual([])
	})

	test('the owner reads that the uploaded file is not a video', async () => {
		const { owner } = installation
		const path = join(dir, 'letter.mp4')
		await writeFile(path, 'Dear Ada,\n'.repeat(1_000))
		const assetId = await owner.process(path, 'A letter')
		const asset = await owner.settled(assetId)
		const errorMessage = 'this file is not a readable video: it is damaged or has another format'
		expect(asset).toMatchObject({
			...{ status: 'error', errorMessage, currentStep: null, renditions: [] },
			job: { status: 'failed', errorMessage },
		})
		const { playbackId } = asset
		const record = { params: { playbackId }, query: {} }
		await expect(owner.client().call(getPlayback, record)).rejects.toMatchObject({ status: 404 })
	})

	test('deletes all stored objects of deleted assets', async () => {
		const { owner } = installation
		const { call } = owner.client()
		const { data: assets } = await call(listAssets, { query: {} })
		expect(assets.length).toBeGreaterThan(0)
		expect((await installation.storedFiles()).length).toBeGreaterThan(0)
		for (const { id } of assets) {
			const params = { assetId: id }
			// Downloads are made last; what a running task uploads later is deleted only after a day.
			for (const { quality } of (await owner.get(id)).renditions)
				await until(() => call(downloadAsset, { params, query: { quality } }).catch(() => null))
			expect((await owner.delete(id)).data).toEqual({ id, deleted: true })
			await expect(owner.get(id)).rejects.toMatchObject({ status: 404 })
		}
		const files = await until(async () => ((await installation.storedFiles()).length === 0 ? [] : null))
		expect(files).toEqual([])
	})
})

/** Serves a film at a loopback address, on a port that source URLs may have. */
async function serveFilms(path: string): Promise<{ server: Server; address: string; port: number }> {
	const bytes = await readFile(path)
	for (const address of ['127.82.1.7', '127.0.0.1'])
		for (const port of [8080, 8443, 443, 80]) {
			const server = createServer((_, response) => response.setHeader('content-type', 'video/mp4').end(bytes))
			const isOpen = await new Promise<boolean>((done) => {
				server.once('error', () => done(false)).listen(port, address, () => done(true))
			})
			if (isOpen) return { server, address, port }
		}
	throw new Error('all ports that source URLs may have are in use')
}

test('imports a video by its URL and rejects local URLs', async () => {
	await using withoutDaemon = await startInstallation(['--no-daemon'])
	const { server, address, port } = await serveFilms(source)
	const machine = startMachine({
		edgeUrl: withoutDaemon.url,
		fleetToken: await withoutDaemon.fleetToken(),
		dataDir: join(withoutDaemon.folder, 'machine'),
		name: 'importing',
		main: join(import.meta.dirname, 'importing-daemon.ts'),
		env: { PLAYHOUSE_CODECS: 'none', FILMS_HOST: 'films.example', FILMS_ADDRESS: address },
	})
	try {
		const { call } = withoutDaemon.owner.client()
		const importVideo = async (sourceUrl: string) => {
			const { id: assetId } = (await call(createAsset, { body: { title: 'Imported' } })).data
			const params = { assetId }
			await call(importSource, { params, body: { sourceUrl } })
			await call(processAsset, { params, body: {} })
			return withoutDaemon.owner.settled(assetId)
		}
		const asset = await importVideo(`http://films.example:${port}/clip.mp4`)
		expect(asset).toMatchObject({
			status: 'ready',
			durationSec: SECONDS,
			renditions: [{ quality: '360p' }, {}],
		})
		const original = await call(downloadAsset, {
			params: { assetId: asset.id },
			query: { quality: 'source' },
		})
		expect(await describeFile(await save(original.data.downloadUrl, 'kept.mp4'))).toEqual(
			await describeFile(source),
		)

		for (const sourceUrl of [`http://127.0.0.1:${port}/clip.mp4`, 'http://localhost:8080/clip.mp4'])
			await expect(importVideo(sourceUrl)).rejects.toMatchObject({ status: 400 })
	} finally {
		server.close()
		machine.signal('SIGTERM')
		await machine.ended
	}
})
