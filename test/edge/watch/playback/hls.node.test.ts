import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signup } from '#schema/contract/accounts/identity.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import { createAsset, createPlaybackToken, updateAsset } from '#schema/contract/video/assets.ts'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import { findPrograms } from '../../../../transcoder-daemon/ffmpeg/binary.ts'
import { chromiumPath } from '../../../support/shared/chromium.ts'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'
import { needs } from '../../../support/shared/needs.ts'
import { openPlayer, type Player } from './player.node.ts'

const ffmpeg = (await findPrograms(process.env).catch(() => undefined))?.ffmpeg

const SECONDS = 4

/** Makes two rungs of fMP4 segments with relative paths in the playlists. Every Chromium supports VP9. */
async function makeHls(program: string, folder: string): Promise<void> {
	await promisify(execFile)(
		program,
		[
			...['-v', 'error', '-f', 'lavfi', '-i', `testsrc2=size=320x180:rate=25:duration=${SECONDS}`],
			...['-map', '0:v', '-map', '0:v', '-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8'],
			...['-g', '25', '-s:v:0', '160x90', '-b:v:0', '60k', '-s:v:1', '320x180', '-b:v:1', '200k'],
			...['-f', 'hls', '-hls_segment_type', 'fmp4', '-hls_time', '1', '-hls_playlist_type', 'vod'],
			...['-var_stream_map', 'v:0,name:90p v:1,name:180p', '-master_pl_name', 'master.m3u8'],
			...['-hls_fmp4_init_filename', 'init.mp4', '-hls_segment_filename', '%v/segment-%03d.m4s'],
			'%v/index.m3u8',
		],
		{ cwd: folder },
	)
}

describe('hls.js on a page of another origin', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	let worker: RunningWorker
	let player: Player
	let film: { id: string; playbackId: string }
	let call: ReturnType<typeof createClient>['call']
	let token: string
	let folder: string

	beforeAll(async () => {
		worker = await startWorker()
		;({ call } = createClient({ baseUrl: worker.url, fetch }))
		const person = { email: 'ada@example.org', password: 'correct horse battery', name: 'Ada' }
		token = (await call(signup, { body: person })).data.token
		film = (await call(createAsset, { body: { title: 'Film' } }, { token })).data
		folder = await mkdtemp(join(tmpdir(), 'playhouse-hls-'))
		await makeHls(ffmpeg as string, folder)
		const bucket = await worker.miniflare.getR2Bucket('MEDIA')
		const prefix = `media/${film.playbackId}/v1`
		for (const name of await readdir(folder, { recursive: true }))
			if (/\.\w+$/.test(name)) await bucket.put(`${prefix}/${name}`, await readFile(join(folder, name)))
		const database = await worker.miniflare.getD1Database('DB')
		await database
			.prepare("update assets set status = 'ready', manifest_key = ? where id = ?")
			.bind(`${prefix}/master.m3u8`, film.id)
			.run()
		player = await openPlayer()
	})
	afterAll(async () => {
		await player?.[Symbol.asyncDispose]()
		await worker?.dispose()
		if (folder) await rm(folder, { recursive: true })
	})

	const manifestUrlFor = async (playbackToken?: string) =>
		(
			await call(getPlayback, {
				params: { playbackId: film.playbackId },
				query: { ...(playbackToken && { token: playbackToken }) },
			})
		).data.manifestUrl

	test('hls.js on a page of another origin plays a public asset to its end', async () => {
		await call(updateAsset, { params: { assetId: film.id }, body: { visibility: 'public' } }, { token })
		const { endedAt, responses } = await player.play(await manifestUrlFor())
		expect(endedAt).toBeCloseTo(SECONDS, 0)
		expect(responses.filter(({ path }) => path.endsWith('.m4s')).length).toBeGreaterThanOrEqual(SECONDS)
		expect(responses.filter(({ status, redirected }) => status >= 300 || redirected)).toEqual([])
	})

	test('hls.js plays a signed asset through the token in every URL, and fails without the token', async () => {
		const params = { assetId: film.id }
		await call(updateAsset, { params, body: { visibility: 'signed' } }, { token })
		const playbackToken = (await call(createPlaybackToken, { params, body: {} }, { token })).data.token
		const manifestUrl = await manifestUrlFor(playbackToken)
		const { endedAt, responses } = await player.play(manifestUrl)
		expect(endedAt).toBeCloseTo(SECONDS, 0)
		expect(responses.filter(({ path }) => !path.includes(`/~${playbackToken}/`))).toEqual([])
		expect(responses.filter(({ status, redirected }) => status >= 300 || redirected)).toEqual([])
		const unauthorized = await player.play(manifestUrl.replace(`~${playbackToken}/`, ''))
		expect(unauthorized.failure).toBe('manifestLoadError')
	})
})
