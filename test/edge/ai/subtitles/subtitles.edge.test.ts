import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import {
	deleteSubtitles,
	listSubtitles,
	MAX_LANGUAGES,
	setSubtitles,
} from '#schema/contract/ai/subtitles/subtitles.ts'
import { replaceTranscript } from '#schema/contract/ai/transcripts.ts'
import { createAsset, deleteAsset } from '#schema/contract/video/assets.ts'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { makeReady } from '../../watch/playback/ready-asset.ts'

let world: World
let ada: Person
let film: { id: string; playbackId: string }
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	film = await makeReady(world, ada, 'Film')
})

const srt = (text: string) => `1\r\n00:00:01,000 --> 00:00:02,000\r\n${text}\r\n`
const set = (lang: string, bytes: string, who: Person = ada) =>
	world.ask(setSubtitles, { params: { assetId: film.id, lang } }, { ...who, bytes })
const remove = (lang: string, who: Person = ada) =>
	world.ask(deleteSubtitles, { params: { assetId: film.id, lang } }, who)
const list = async () =>
	(await world.ask(listSubtitles, { params: { assetId: film.id } }, ada)).ok.data.subtitles
const transcribe = (text: string, language = 'en') =>
	world.ask(
		replaceTranscript,
		{
			params: { assetId: film.id },
			body: { transcript: { language, segments: [{ start: 1, end: 2, text }] } },
		},
		ada,
	)
const aiOf = async () =>
	(await world.ask(getPlayback, { params: { playbackId: film.playbackId }, query: {} })).ok.data.ai
const fetchText = async (url: string | null | undefined) =>
	(await world.fetch(new Request(url ?? 'https://edge.test/none'))).text()
const rows = (statement: string) => world.deps(({ db }) => db.all(statement))
const stored = async () => (await env.MEDIA.list()).objects.map(({ key }) => key)

describe('uploaded subtitles', () => {
	test('uploaded subtitles are rewritten as WebVTT and SRT, and linked in the playback record', async () => {
		const answer = await set('pt-br', `\uFEFF${srt('<i>Olá</i> & {\\an8}tchau')}`)
		expect(answer.ok.data.subtitles).toEqual([
			{ language: 'pt-BR', name: 'Português (Brasil)', source: 'upload' },
		])
		expect(await list()).toEqual(answer.ok.data.subtitles)
		const { subtitles, subtitlesUrl, transcriptUrl, status } = await aiOf()
		expect({ transcriptUrl, status }).toEqual({ transcriptUrl: null, status: 'none' })
		expect(subtitles).toMatchObject([{ language: 'pt-BR', name: 'Português (Brasil)', source: 'upload' }])
		expect(subtitlesUrl).toBe(subtitles[0]?.url)
		expect(await fetchText(subtitles[0]?.url)).toBe(
			'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nOlá &amp; tchau\n',
		)
		expect(await fetchText(subtitles[0]?.srtUrl)).toBe(srt('Olá & tchau'))
	})

	test('uploaded subtitles hide those of the transcript in the same language, and outlive its edits', async () => {
		await transcribe('Heard')
		await set('en', srt('Written'))
		await set('fr', srt('Écrit'))
		await transcribe('Heard again')
		expect(await list()).toMatchObject([
			{ language: 'en', source: 'upload' },
			{ language: 'fr', source: 'upload' },
		])
		const { subtitles, subtitlesUrl } = await aiOf()
		expect(await fetchText(subtitles[0]?.url)).toContain('Written')
		expect(subtitlesUrl).toBe(subtitles[0]?.url)
		await remove('en')
		expect(await list()).toMatchObject([{ source: 'transcript' }, { source: 'upload' }])
		expect(await fetchText((await aiOf()).subtitlesUrl)).toContain('Heard again')
	})

	test('uploaded subtitles are tracks of the presentation', async () => {
		const folder = `media/${film.playbackId}/v1`
		await env.MEDIA.put(`${folder}/master.m3u8`, '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na0.m3u8\n')
		await env.MEDIA.put(`${folder}/a0.m3u8`, '#EXTM3U\n#EXTINF:12.5,\n0.m4s\n#EXT-X-ENDLIST\n')
		await transcribe('Heard')
		await set('zh-hant', srt('寫'))
		const manifest = (await world.ask(getPlayback, { params: { playbackId: film.playbackId }, query: {} })).ok
			.data.manifestUrl
		const master = await fetchText(manifest)
		expect(master.match(/LANGUAGE="[^"]+"/g)).toEqual(['LANGUAGE="en"', 'LANGUAGE="zh-Hant"'])
		expect(await fetchText(new URL('subtitles/zh-Hant/a0/0.vtt', manifest).href)).toContain('寫')
		await remove('zh-Hant')
		expect(await fetchText(manifest)).not.toContain('zh-Hant')
	})

	test('replaced subtitles get new files, and the old ones are deleted', async () => {
		await set('en', srt('One'))
		const before = await stored()
		await set('en', srt('Two'))
		const after = await stored()
		expect(after).toHaveLength(2)
		expect(after.filter((key) => before.includes(key))).toEqual([])
		await remove('en')
		expect(await stored()).toEqual([])
		expect((await remove('en')).status).toBe(404)
	})

	test('concurrent uploads of subtitles store one version, and no files of the others', async () => {
		const answers = await Promise.all(['one', 'two', 'three', 'four'].map((text) => set('en', srt(text))))
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
		expect(await stored()).toHaveLength(2)
	})

	test('subtitles may be uploaded before the video', async () => {
		film = (await world.ask(createAsset, { body: { title: 'New' } }, ada)).ok.data
		expect((await set('en', srt('Early'))).status).toBe(200)
		expect(await list()).toMatchObject([{ language: 'en', source: 'upload' }])
	})

	test('deleting an asset deletes its uploaded subtitles', async () => {
		await set('en', srt('Hi'))
		await world.ask(deleteAsset, { params: { assetId: film.id } }, ada)
		await world.deliver()
		expect(await stored()).toEqual([])
		expect(await rows('select * from asset_subtitles')).toEqual([])
	})
})

describe('rejected uploads', () => {
	test('an invalid subtitle file is rejected with the number of the line, and nothing is stored', async () => {
		expect(await set('en', '1\n00:00:02,000 --> 00:00:01,000\nHi')).toMatchObject({
			status: 422,
			error: 'line 2: the end must be after the beginning; correct the time',
		})
		expect(await stored()).toEqual([])
	})

	test('an upload of subtitles is rejected if its media type says WebVTT but its content does not', async () => {
		const send = (type: string) =>
			world.fetch(
				new Request(`https://edge.test/v1/assets/${film.id}/subtitles/en`, {
					method: 'PUT',
					headers: { authorization: `Bearer ${ada.token}`, 'content-type': type },
					body: srt('Hi'),
				}),
			)
		expect((await send('text/vtt; charset=utf-8')).status).toBe(422)
		for (const type of ['application/x-subrip', 'text/plain']) expect((await send(type)).status).toBe(200)
	})

	test('an upload of subtitles is rejected if it is empty, too large, or in no language', async () => {
		expect((await set('en', '')).status).toBe(400)
		expect((await set('en', ' '.repeat(2 * 1024 ** 2 + 1))).status).toBe(413)
		// As for every id in a path that can't exist.
		expect((await set('english please', srt('Hi'))).status).toBe(404)
	})

	test('subtitles in one language too many are rejected, but not in an existing language', async () => {
		const tags = Array.from({ length: MAX_LANGUAGES }, (_, at) => `en-x-n${at}`)
		for (const tag of tags)
			await rows(
				`insert into asset_subtitles (asset_id, language, key, updated_at, source) values ('${film.id}', '${tag}', 'key', 1, 'upload') returning 1`,
			)
		expect(await set('de', srt('Hi'))).toMatchObject({
			status: 409,
			error: expect.stringContaining('at most 50'),
		})
		expect(await stored()).toEqual([])
		expect((await set('en-x-n7', srt('Hi'))).status).toBe(200)
	})

	test('subtitles for the asset of another organization are rejected', async () => {
		const eve = await world.person()
		await set('en', srt('Hi'))
		expect((await set('en', srt('Ho'), eve)).status).toBe(404)
		expect((await remove('en', eve)).status).toBe(404)
		expect(await stored()).toHaveLength(2)
	})
})
