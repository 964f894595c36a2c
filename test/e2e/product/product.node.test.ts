/** @module-tag ffmpeg */

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, describe as group, test } from 'vitest'
import { createAsset, listAssets, updateAsset } from '#schema/contract/video/assets.ts'
import { standardAudioConfig } from '#schema/contract/video/audio.ts'
import {
	downloadAiAudio,
	downloadAsset,
	downloadAudio,
	downloadVideo,
	downloadVideoAudio,
} from '#schema/contract/video/downloads.ts'
import { getAssetPlayback, getPlayback } from '#schema/contract/video/playback.ts'
import { processAsset } from '#schema/contract/video/transcoding.ts'
import { importSource } from '#schema/contract/video/uploads.ts'
import { validatePresentation } from '../../../scripts/hls-validator/validate.ts'
import { startMachine } from '../../../scripts/lib/machine-process.ts'
import { openPlayer } from '../../edge/playback/player.node.ts'
import { chromiumPath } from '../../support/shared/chromium.ts'
import { corpus } from '../../support/shared/corpus.ts'
import { needs } from '../../support/shared/needs.ts'
import { previewsIn } from '../../support/shared/previews.ts'
import { programs } from '../../transcoder-daemon/ffmpeg/programs.ts'
import { look, readNumbers } from '../../transcoder-daemon/tasks/encoded.ts'
import { makeVideo } from '../../transcoder-daemon/tasks/make-video.ts'
import { decodeSound, tonesIn } from '../../transcoder-daemon/tasks/tones.ts'
import { until } from '../fleet/installation.ts'
import { describeFile } from './media-file.ts'
import { type Home, openHome } from './one-command-installation.ts'
import { readProgress } from './progress-events.ts'

/** Taken with a phone that was held upright: stored lying, with a note how to turn it. Each frame has its number on top. */
const clip = corpus.find(({ name }) => name === 'rotation-90')
const SECONDS = 5
const FRAMES = 125
const text = expect.any(String)
const count = (length: number) => Array.from({ length }, (_, n) => n)

let home: Home
let dir: string
let source: string
beforeAll(async () => {
	home = await openHome()
	dir = join(home.folder, 'files')
	await mkdir(dir)
	source = join(dir, 'clip.mp4')
	await clip?.make(programs.ffmpeg, source)
})
afterAll(() => home?.[Symbol.asyncDispose]())

const valid = async (manifestUrl: string) =>
	(await validatePresentation(manifestUrl)).findings.filter(({ level }) => level === 'MUST')

/** Into a file of its own, with a name that says what it is. */
async function save(url: string, name: string): Promise<string> {
	const answer = await fetch(url)
	expect([url, answer.status]).toEqual([url, 200])
	const path = join(dir, name)
	await writeFile(path, await answer.bytes())
	return path
}

group('a store that fills and is emptied', { shuffle: false }, () => {
	group('a clip from a phone, from its upload to its end', { shuffle: false }, () => {
		let assetId: string
		let playbackId: string

		test('is ready, with progress on the way that only ever rises', async () => {
			const { owner, url } = home
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

		test('is described as the API says, to the field', async () => {
			const { owner } = home
			const asset = await owner.get(assetId)
			playbackId = asset.playbackId
			expect(asset).toEqual({
				id: assetId,
				title: 'A clip',
				description: null,
				status: 'ready',
				playbackId: expect.stringMatching(/^[0-9A-Za-z]{22}$/),
				collectionId: null,
				durationSec: SECONDS,
				thumbnailUrl: expect.stringContaining(`${home.url}/v1/playback/${playbackId}/thumbnail?v=`),
				hasCustomThumbnail: false,
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
				aiJob: null,
				highlights: [],
				audioConfig: standardAudioConfig,
			})
			const record = (await owner.client().call(getPlayback, { params: { playbackId }, query: {} })).data
			const media = `${home.url}/media/${playbackId}/`
			expect(record).toMatchObject({
				playbackId,
				manifestUrl: expect.stringMatching(new RegExp(`^${media}.*\\.m3u8$`)),
				thumbnailUrl: asset.thumbnailUrl,
				durationSec: SECONDS,
				audio: { codec: 'aac', bitrateKbps: 128, sampleRate: 48_000, channels: 2 },
			})
			const { manifestUrl, thumbnailUrl } = record
			const own = (await owner.client().call(getAssetPlayback, { params: { assetId } })).data
			expect(own).toEqual({ assetId, playbackId, manifestUrl, thumbnailUrl })
		})

		test(
			'keeps the rules of HLS, and plays in a browser to its end',
			needs({ Chromium: chromiumPath }),
			async () => {
				const query = { params: { playbackId }, query: {} }
				const { manifestUrl } = (await home.owner.client().call(getPlayback, query)).data
				expect(await valid(manifestUrl)).toEqual([])
				await using player = await openPlayer()
				const { failure, ranges, frames, width, height, responses } = await player.play(manifestUrl)
				expect(failure).toBeNull()
				expect(ranges).toEqual([[expect.closeTo(0, 1), expect.closeTo(SECONDS, 1)]])
				expect(frames).toBeGreaterThan(0)
				expect(width).toBeLessThan(height)
				expect(responses.filter(({ status, redirected }) => status >= 300 || redirected)).toEqual([])
			},
		)

		test('has pictures that stand upright', async () => {
			const query = { params: { playbackId }, query: {} }
			const record = (await home.owner.client().call(getPlayback, query)).data
			const poster = await save(record.thumbnailUrl, 'poster.jpg')
			expect(await describeFile(poster)).toMatchObject({
				pictures: [{ codec: 'mjpeg', width: 360, height: 640 }],
			})
			// Upside down or lying, the strip of its number would be somewhere else.
			const [number = -1] = await readNumbers(poster, dir)
			expect(number).toBeGreaterThanOrEqual(0)
			expect(number).toBeLessThan(FRAMES)

			const { headers } = await fetch(`${home.url}/v1/playback/${playbackId}`)
			const { animation, storyboard } = previewsIn(headers.get('link'))
			const vtt = await (await fetch(storyboard)).text()
			const cues = [...vtt.matchAll(/^([\d:.]+) --> ([\d:.]+)\n(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)$/gm)]
			const secondsAt = (clock = '') => clock.split(':').reduce((sum, part) => 60 * sum + Number(part), 0)
			expect(secondsAt(cues[0]?.[1])).toBe(0)
			expect(secondsAt(cues.at(-1)?.[2])).toBe(SECONDS)
			for (const [k, [, begin]] of cues.entries()) if (k > 0) expect(begin).toBe(cues[k - 1]?.[2])
			const sheet = await save(new URL(cues[0]?.[3] ?? '', storyboard).href, 'sheet.jpg')
			for (const [, begin, , , x, y, width, height] of cues) {
				const tile = join(dir, `tile-${x}-${y}.png`)
				await look(['-i', sheet, '-vf', `crop=${width}:${height}:${x}:${y}`, '-y', tile], dir)
				expect(await readNumbers(tile, dir)).toEqual([Math.round(secondsAt(begin) * 25)])
				expect(Number(width)).toBeLessThan(Number(height))
			}
			const preview = await fetch(animation)
			expect([preview.status, preview.headers.get('content-type')]).toEqual([200, 'image/webp'])
			expect((await preview.text()).includes('ANIM')).toBe(true)
		})

		test('can be downloaded: as it came, in each quality, and its sound', async () => {
			const { owner } = home
			const { call } = owner.client()
			const params = { assetId }
			const given = async (quality?: string) =>
				(await call(downloadAsset, { params, query: { ...(quality && { quality }) } })).data
			const original = await save((await given()).downloadUrl, 'original.mp4')
			expect(await describeFile(original)).toEqual(await describeFile(source))

			for (const { quality, width, height } of (await owner.get(assetId)).renditions) {
				// Made when the asset is ready already.
				const { downloadUrl, fileSizeBytes, filename } = await until(() => given(quality).catch(() => null))
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
			expect((await given('best')).downloadUrl).toContain('360p')
			await expect(given('1080p')).rejects.toMatchObject({ status: 404 })

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

	test('a standard source plays early, and what is played only ever grows', async () => {
		const { owner } = home
		const gop = ['-g', '50', '-keyint_min', '50', '-sc_threshold', '0', '-crf', '35']
		// Long enough that its end is seconds behind its beginning, however fast the machine is.
		const path = await makeVideo(dir, {
			name: 'long.mp4',
			rate: '25',
			seconds: 60,
			size: '854x480',
			args: gop,
		})
		const assetId = await owner.process(path, 'Early', 'early')
		const early = await owner.settled(assetId)
		expect([early.status, early.job?.status]).toEqual(['ready', 'processing'])
		expect(early.renditions.map(({ quality }) => quality)).toEqual(['480p'])
		const record = { params: { playbackId: early.playbackId }, query: {} }
		const manifest = async () => (await owner.client().call(getPlayback, record)).data.manifestUrl
		// At first there is but the copy, and that is all that is wrong with it.
		const several = 'There are several variants with different bit rates.'
		const others = async (url: string) => (await valid(url)).filter(({ text }) => text !== several)
		expect(await others(await manifest())).toEqual([])

		const seen = [await manifest()]
		const done = await until(async () => {
			const asset = await owner.get(assetId)
			seen.push(await manifest())
			return asset.job?.status === 'completed' ? asset : null
		})
		const versions = seen.map((url) => Number(/master-(\d+)\.m3u8$/.exec(url)?.[1]))
		expect(versions).toEqual(versions.toSorted((a, b) => a - b))
		expect([done.status, done.renditions.map(({ quality }) => quality)]).toEqual([
			'ready',
			['480p', '360p', '240p'],
		])
		expect(await valid(await manifest())).toEqual([])
		// Who opened it before the end goes on with what it had.
		for (const url of new Set(seen)) expect(await others(url)).toEqual([])
	})

	test('what is no video ends in an error that its owner understands', async () => {
		const { owner } = home
		const path = join(dir, 'letter.mp4')
		await writeFile(path, 'Dear Ada,\n'.repeat(1_000))
		const assetId = await owner.process(path, 'A letter')
		const asset = await owner.settled(assetId)
		const errorMessage = 'This file is not a readable video: it is damaged or has another format.'
		expect(asset).toMatchObject({
			...{ status: 'error', errorMessage, currentStep: null, renditions: [] },
			job: { status: 'failed', errorMessage },
		})
		const { playbackId } = asset
		const record = { params: { playbackId }, query: {} }
		await expect(owner.client().call(getPlayback, record)).rejects.toMatchObject({ status: 404 })
	})

	test('deleting leaves nothing of it in the store', async () => {
		const { owner } = home
		const { call } = owner.client()
		const { data: assets } = await call(listAssets, { query: {} })
		expect(assets.length).toBeGreaterThan(0)
		expect((await home.storedFiles()).length).toBeGreaterThan(0)
		for (const { id } of assets) {
			const params = { assetId: id }
			// Downloads are made behind everything else; what is on its way may still arrive, and is purged a day later.
			for (const { quality } of (await owner.get(id)).renditions)
				await until(() => call(downloadAsset, { params, query: { quality } }).catch(() => null))
			expect((await owner.delete(id)).data).toEqual({ id, deleted: true })
			await expect(owner.get(id)).rejects.toMatchObject({ status: 404 })
		}
		const files = await until(async () => ((await home.storedFiles()).length === 0 ? [] : null))
		expect(files).toEqual([])
	})
})

/** A server of films at a loopback address of its own, at a port that addresses of films may have. */
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
	throw new Error('none of the ports that films are fetched from is free here')
}

test('a video is imported by its address, and no address of this machine is taken', async () => {
	await using house = await openHome('--no-daemon')
	const { server, address, port } = await serveFilms(source)
	const machine = startMachine({
		edgeUrl: house.url,
		fleetToken: await house.fleetToken(),
		dataDir: join(house.folder, 'machine'),
		name: 'importing',
		main: join(import.meta.dirname, 'importing-daemon.ts'),
		env: { FILMS_HOST: 'films.example', FILMS_ADDRESS: address },
	})
	try {
		const { call } = house.owner.client()
		const bring = async (sourceUrl: string) => {
			const { id: assetId } = (await call(createAsset, { body: { title: 'From elsewhere' } })).data
			const params = { assetId }
			await call(importSource, { params, body: { sourceUrl } })
			await call(processAsset, { params, body: {} })
			return house.owner.settled(assetId)
		}
		const asset = await bring(`http://films.example:${port}/clip.mp4`)
		expect(asset).toMatchObject({
			status: 'ready',
			durationSec: SECONDS,
			renditions: [{ quality: '360p' }, {}],
		})
		const kept = await call(downloadAsset, { params: { assetId: asset.id }, query: { quality: 'source' } })
		expect(await describeFile(await save(kept.data.downloadUrl, 'kept.mp4'))).toEqual(
			await describeFile(source),
		)

		for (const sourceUrl of [`http://127.0.0.1:${port}/clip.mp4`, 'http://localhost:8080/clip.mp4'])
			await expect(bring(sourceUrl)).rejects.toMatchObject({ status: 400 })
	} finally {
		server.close()
		machine.signal('SIGTERM')
		await machine.ended
	}
})
