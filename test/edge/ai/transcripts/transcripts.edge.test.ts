import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { getTranscript, replaceTranscript } from '#schema/contract/ai/transcripts.ts'
import { createAsset, deleteAsset, updateAsset } from '#schema/contract/video/assets.ts'
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

const params = () => ({ assetId: film.id })
const replace = (transcript: object, who: Person = ada) =>
	world.ask(replaceTranscript, { params: params(), body: { transcript: transcript as never } }, who)
const read = () => world.ask(getTranscript, { params: params() }, ada)
const aiOf = async () =>
	(await world.ask(getPlayback, { params: { playbackId: film.playbackId }, query: {} })).ok.data.ai
const fetchText = async (url: string | null) => {
	const response = await world.fetch(new Request(url ?? ''))
	return { type: response.headers.get('content-type'), status: response.status, text: await response.text() }
}
const stored = async () => (await env.MEDIA.list()).objects.map(({ key }) => key)

const segments = [
	{ start: 0.5, end: 2, text: 'Hello there.' },
	{ start: 5, end: 8.25, text: 'Tom & Jerry <sing>.' },
]

describe('a transcript', () => {
	test('a transcript is stored with its subtitles, and the playback record links to them', async () => {
		expect((await read()).status).toBe(404)
		expect(await aiOf()).toMatchObject({ status: 'none', transcriptUrl: null, subtitlesUrl: null })

		const { transcript } = (await replace({ language: 'en-us', segments })).ok.data
		expect(transcript).toEqual({
			language: 'en-US',
			duration: 12.5,
			text: 'Hello there. Tom & Jerry <sing>.',
			segments: [
				{
					id: 0,
					...segments[0],
					words: [
						{ word: 'Hello', start: 0.5, end: 1.182 },
						{ word: 'there.', start: 1.182, end: 2 },
					],
				},
				{ id: 1, ...segments[1], words: expect.any(Array) },
			],
		})
		expect((await read()).ok.data.transcript).toEqual(transcript)

		const ai = await aiOf()
		expect(ai).toMatchObject({ status: 'completed', language: 'en-US' })
		expect(JSON.parse((await fetchText(ai.transcriptUrl)).text)).toEqual(transcript)
		expect(await fetchText(ai.subtitlesUrl)).toEqual({
			status: 200,
			type: 'text/vtt; charset=utf-8',
			text: 'WEBVTT\n\n00:00:00.500 --> 00:00:02.000\nHello there.\n\n00:00:05.000 --> 00:00:08.250\nTom &amp; Jerry &lt;sing&gt;.\n',
		})
		expect(await fetchText(ai.srtSubtitlesUrl)).toMatchObject({
			status: 200,
			type: 'application/x-subrip; charset=utf-8',
			text: expect.stringContaining('2\r\n00:00:05,000 --> 00:00:08,250\r\nTom & Jerry ‹sing›.'),
		})
	})

	test('an edited transcript keeps its language and the times of unchanged words', async () => {
		const words = [
			{ word: 'Helo', start: 0.5, end: 0.9 },
			{ word: 'there.', start: 1.5, end: 2 },
		]
		await replace({ language: 'de', segments: [{ start: 0.5, end: 2, text: 'Helo there.', words }] })
		const edited = await replace({ segments: [{ start: 0.5, end: 2, text: 'Hello there!' }] })
		expect(edited.ok.data.transcript).toMatchObject({
			language: 'de',
			segments: [
				{
					words: [
						{ word: 'Hello', start: 0.5, end: 1.5 },
						{ word: 'there!', start: 1.5, end: 2 },
					],
				},
			],
		})
	})

	test('a transcript is replaced as a whole, with new files, and the old ones are deleted', {
		tags: 'd1',
	}, async () => {
		await replace({ segments })
		const before = await aiOf()
		await replace({ segments: segments.slice(0, 1) })
		const after = await aiOf()
		expect(after.subtitlesUrl).not.toBe(before.subtitlesUrl)
		expect((await fetchText(before.subtitlesUrl)).status).toBe(404)
		expect((await stored()).length).toBe(3)
		await replace({ segments: [] })
		expect(await aiOf()).toMatchObject({ status: 'none', transcriptUrl: null, language: null })
		expect((await read()).status).toBe(404)
		expect(await stored()).toEqual([])
	})

	test('concurrent replacements store one transcript, and no files of the others', async () => {
		const texts = ['one', 'two', 'three', 'four', 'five']
		const answers = await Promise.all(
			texts.map((text) => replace({ segments: [{ start: 0, end: 1, text }] })),
		)
		expect(answers.map(({ status }) => status)).toEqual(texts.map(() => 200))
		expect(texts).toContain((await read()).ok.data.transcript.text)
		expect((await stored()).length).toBe(3)
	})

	test('a transcript is hidden from viewers if the settings disable it; subtitles stay', async () => {
		await replace({ segments })
		await world.ask(
			updateAsset,
			{ params: params(), body: { publicSettings: { showTranscript: false } } },
			ada,
		)
		const { transcriptUrl, subtitlesUrl } = await aiOf()
		expect(transcriptUrl).toBeNull()
		expect((await fetchText(subtitlesUrl)).status).toBe(200)
		expect((await read()).status).toBe(200)
	})

	test('a hidden transcript without subtitles does not show that it exists', async () => {
		await replace({ language: 'de', segments })
		expect(await aiOf()).toMatchObject({ status: 'completed', language: 'de' })
		await world.deps((d) => d.db.all('update assets set subtitles_key = null'))
		const publicSettings = { showTranscript: false }
		await world.ask(updateAsset, { params: params(), body: { publicSettings } }, ada)
		expect(await aiOf()).toMatchObject({ status: 'none', language: null, transcriptUrl: null })
	})

	test('deleting an asset deletes its transcript and all files', { tags: 'd1' }, async () => {
		await replace({ segments })
		await world.ask(deleteAsset, { params: params() }, ada)
		await world.deliver()
		expect(await stored()).toEqual([])
	})

	test('a transcript keeps suspect segments, and its subtitles leave them out', async () => {
		await replace({ segments: [...segments, { start: 9, end: 10, text: 'Thanks!', suspect: true }] })
		expect((await read()).ok.data.transcript.segments[2]).toMatchObject({ text: 'Thanks!', suspect: true })
		expect((await fetchText((await aiOf()).subtitlesUrl)).text).not.toContain('Thanks')
	})
})

describe('rejected transcripts', () => {
	test.each([
		['overlapping segments', [segments[0], { start: 1.9, end: 3, text: 'x' }], 'transcript.segments'],
		['a segment that is too short', [{ start: 1, end: 1.0004, text: 'x' }], 'transcript.segments'],
		['a segment after the end', [{ start: 12, end: 14, text: 'x' }], 'transcript.segments.0.end'],
		['an empty text', [{ start: 1, end: 2, text: ' ' }], 'transcript.segments.0.text'],
		[
			'a text of two lines',
			[{ start: 1, end: 2, text: 'a\n\n00:01 --> 00:02' }],
			'transcript.segments.0.text',
		],
		['a negative time', [{ start: -1, end: 2, text: 'x' }], 'transcript.segments.0.start'],
	])('a transcript is rejected with %s', async (_, bad, field) => {
		expect(await replace({ segments: bad })).toMatchObject({
			code: 'validation',
			error: expect.stringContaining(field),
		})
		expect(await stored()).toEqual([])
	})

	test('a transcript is rejected with an invalid language', async () => {
		for (const language of ['english please', '', '_', '"><script>'])
			expect((await replace({ language, segments })).code, language).toBe('validation')
	})

	test('a transcript with more than 200,000 words is rejected', async () => {
		const text = 'a '.repeat(500).trim()
		const many = Array.from({ length: 401 }, (_, at) => ({ start: at / 100, end: (at + 1) / 100, text }))
		expect(await replace({ segments: many })).toMatchObject({
			code: 'validation',
			error: 'transcript.segments: must not have more than 200000 words',
		})
	})

	test('a transcript is rejected before the duration is known', async () => {
		film = { ...(await world.ask(createAsset, { body: { title: 'New' } }, ada)).ok.data }
		expect(await replace({ segments })).toMatchObject({ status: 409, code: 'conflict' })
	})

	test('a transcript is rejected for the asset of another organization', async () => {
		expect((await replace({ segments }, await world.person())).status).toBe(404)
	})
})
