import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
	formatIsoDuration,
	formatLocale,
	type HeadTagOptions,
	renderHeadTags,
	truncateToSummary,
} from '../../../../../edge/watch/player/sharing/head-tags.ts'
import { hostileText } from './hostile-text.ts'

const ID = 'Abcdefghijklmnopqrstu1'
const base = 'https://watch.example.org'

type Changes = Omit<Partial<HeadTagOptions>, 'row'> & { row?: Partial<HeadTagOptions['row']> }

const optionsWith = ({ row, ...more }: Changes): HeadTagOptions => ({
	row: {
		playbackId: ID,
		title: 'Film',
		description: 'About\nfilms',
		visibility: 'public',
		durationSec: 93.4,
		createdAt: Date.UTC(2026, 10, 23, 12),
		manifestKey: `media/${ID}/v1/master.m3u8`,
		...row,
	},
	language: 'en',
	isAudioOnly: false,
	chapters: [],
	transcript: '',
	size: { width: 1920, height: 1080 },
	base,
	linkParameters: {},
	picture: { url: `${base}/v1/playback/${ID}/thumbnail?v=1`, size: { width: 1280, height: 720 } },
	...more,
})

const print = async (changes: Changes = {}) => String(await renderHeadTags(optionsWith(changes)))

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const decode = (text: string) => text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name) => entities[name] ?? '')

/** Reads the tags as a browser does. Throws if there is anything else. */
function readTags(text: string) {
	const meta = new Map<string, string>()
	const links = new Map<string, string>()
	let data: Record<string, unknown> | null = null
	const rest = text
		.replaceAll(/<meta (?:name|property)="([a-z:_]+)" content="([^"<>]*)">/g, (_, name, content) => {
			expect(meta.has(name), name).toBe(false)
			meta.set(name, decode(content))
			return ''
		})
		.replaceAll(
			/<link rel="([a-z]+)"(?: type="[^"<>]+")? href="([^"<>]*)"(?: title="[^"<>]*")?>/g,
			(_, rel, href) => {
				links.set(rel, decode(href))
				return ''
			},
		)
		.replace(/<script type="application\/ld\+json">([^<]*)<\/script>/, (_, json) => {
			data = JSON.parse(json)
			return ''
		})
	expect(rest.trim()).toBe('')
	return { meta, links, data: data as Record<string, unknown> | null }
}

describe('the head of a page', () => {
	test('the head tags call audio a song with a duration, and a video a video', async () => {
		const song = readTags(await print({ isAudioOnly: true })).meta
		expect([song.get('og:type'), song.get('music:duration')]).toEqual(['music.song', '93'])
		const video = readTags(await print()).meta
		expect([video.get('og:type'), video.get('music:duration')]).toEqual(['video.other', undefined])
	})

	test('the head of a watch page describes a public video to search engines and link previews', async () => {
		const { meta, links, data } = readTags(await print({ linkParameters: { t: '5' } }))
		const [url, player] = [`${base}/watch/${ID}`, `${base}/embed/${ID}`]
		const picture = `${base}/v1/playback/${ID}/thumbnail?v=1`
		expect(Object.fromEntries(meta)).toEqual({
			description: 'About films',
			'og:type': 'video.other',
			'og:locale': 'en_US',
			'og:image:alt': 'Film',
			'og:site_name': 'Playhouse',
			'og:title': 'Film',
			'og:description': 'About films',
			'og:url': url,
			'og:image': picture,
			'og:image:width': '1280',
			'og:image:height': '720',
			'og:video:url': player,
			'og:video:secure_url': player,
			'og:video:type': 'text/html',
			'og:video:width': '1280',
			'og:video:height': '720',
			'twitter:card': 'player',
			'twitter:title': 'Film',
			'twitter:description': 'About films',
			'twitter:image': picture,
			'twitter:player': player,
			'twitter:player:width': '1280',
			'twitter:player:height': '720',
		})
		expect(Object.fromEntries(links)).toEqual({
			canonical: url,
			alternate: `${base}/oembed?format=json&url=${encodeURIComponent(`${url}?t=5`)}`,
		})
		expect(data).toEqual({
			'@context': 'https://schema.org',
			'@type': 'VideoObject',
			name: 'Film',
			description: 'About\nfilms',
			thumbnailUrl: picture,
			uploadDate: '2026-11-23T12:00:00.000Z',
			duration: 'PT1M33S',
			embedUrl: player,
			contentUrl: `${base}/media/${ID}/v1/master.m3u8`,
		})
	})

	test('the head of a watch page contains the transcript, or the beginning of a long one', async () => {
		expect(readTags(await print()).data).not.toHaveProperty('transcript')
		const transcript = 'Hello </script><b>there</b>'
		expect(readTags(await print({ transcript })).data).toMatchObject({ transcript })
		const { data } = readTags(await print({ transcript: 'x'.repeat(20_000) }))
		expect(data).toMatchObject({ transcript: 'x'.repeat(10_000) })
	})

	test('the head of a watch page names the chapters of a video as clips', async () => {
		const chapters = [{ title: '</script>Start', startSec: 0, endSec: 30 }]
		const { data } = readTags(await print({ chapters }))
		expect(data?.hasPart).toEqual([
			{
				'@type': 'Clip',
				name: '</script>Start',
				startOffset: 0,
				endOffset: 30,
				url: `${base}/watch/${ID}?t=0`,
			},
		])
	})

	test('the head of an unlisted video has noindex, and still a link preview', async () => {
		const { meta, data } = readTags(await print({ row: { visibility: 'unlisted' } }))
		expect(meta.get('robots')).toBe('noindex')
		expect(meta.get('og:video:url')).toBe(`${base}/embed/${ID}`)
		expect(data).not.toHaveProperty('contentUrl')
	})

	test('the head of a watch page names nothing of a signed video that needs its token', async () => {
		const text = await print({ row: { visibility: 'signed' }, picture: null, linkParameters: { t: '5' } })
		const { meta, links, data } = readTags(text)
		expect(meta.get('robots')).toBe('noindex')
		expect([...links]).toEqual([['canonical', `${base}/watch/${ID}`]])
		expect(data).toBeNull()
		expect(meta.get('twitter:card')).toBe('summary')
		expect(text).not.toMatch(/embed|media\/|thumbnail|oembed/)
	})

	test('the head of a watch page leaves out what a video does not have', async () => {
		const { meta, data } = readTags(
			await print({ row: { description: null }, picture: null, base: 'http://127.0.0.1:8787' }),
		)
		const absent = [
			'description',
			'og:description',
			'og:image',
			'twitter:image',
			'og:video:secure_url',
			'robots',
		]
		for (const name of absent) expect(meta.has(name), name).toBe(false)
		expect(data).not.toHaveProperty('thumbnailUrl')
		expect(data).not.toHaveProperty('description')
	})

	test('the head of a watch page names an audio recording as such', async () => {
		expect(readTags(await print({ isAudioOnly: true })).data).toHaveProperty('@type', 'AudioObject')
	})

	const hostile = [
		'</script><script>alert(1)</script>',
		'<!--<script>',
		'"><svg onload=alert(1)>',
		`' onmouseover='x`,
		'&quot;&#34; &lt;b&gt; {{x}}',
		'\u202eevil\u202c \u2066x\u2069 \u200f',
		'line\u2028and\u2029paragraph',
		']]>\\"\\u003c',
	]

	test.each(hostile)('the head of a watch page keeps a title and a description as text: %j', async (text) => {
		const printed = await print({ row: { title: text, description: text } })
		const { meta, data } = readTags(printed)
		expect([meta.get('og:title'), meta.get('twitter:title'), data?.name]).toEqual([text, text, text])
		expect(data?.description).toBe(text)
		expect(meta.get('og:description')).toBe(truncateToSummary(text))
		expect(printed.split('</script').length).toBe(2)
		expect(/<script type="application\/ld\+json">[^<]*[\u2028\u2029]/.test(printed)).toBe(false)
	})

	test('the head of a watch page keeps any title and any description as text', async () => {
		await fc.assert(
			fc.asyncProperty(hostileText, hostileText, async (title, description) => {
				const { meta, data } = readTags(await print({ row: { title, description } }))
				expect([meta.get('og:title'), data?.name, data?.description]).toEqual([title, title, description])
			}),
		)
	})
})

test('a summary is one line of at most 300 characters and splits no character', () => {
	expect(truncateToSummary('  One\r\n\n\ttwo  ')).toBe('One two')
	expect(truncateToSummary('x'.repeat(300))).toBe('x'.repeat(300))
	const cut = truncateToSummary('🎬'.repeat(301))
	expect([[...cut].length, cut.isWellFormed(), cut.endsWith('🎬…')]).toEqual([300, true, true])
	expect(truncateToSummary(`${'x'.repeat(298)} ${'y'.repeat(50)}`)).toBe(`${'x'.repeat(298)}…`)
})

test.each([
	[0, 'PT0S'],
	[0.4, 'PT0S'],
	[59.6, 'PT1M'],
	[93.4, 'PT1M33S'],
	[3_600, 'PT1H'],
	[3_605, 'PT1H5S'],
	[90_061, 'PT25H1M1S'],
])('a duration of %d seconds is written as %s', (sec, text) => {
	expect(formatIsoDuration(sec)).toBe(text)
})

test.each([
	['de', 'de_DE'],
	['pt', 'pt_BR'],
	['ar', 'ar_EG'],
	['zh', 'zh_CN'],
])('the Open Graph locale of a page in %s is %s', (language, locale) => {
	expect(formatLocale(language)).toBe(locale)
})
