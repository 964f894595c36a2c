import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { createAsset, createPlaybackToken, updateAsset } from '#schema/contract/video/assets.ts'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import type { PlayerPage } from '#schema/contract/watch/player-page.ts'
import { setLogo } from '#schema/contract/watch/settings/logo.ts'
import { updateSettings } from '#schema/contract/watch/settings/settings.ts'
import { deleteCachedPlayable } from '../../../../edge/video/assets/playable/playable.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { wholePng } from '../../../support/shared/whole-pictures.ts'
import { makeReady } from '../playback/ready-asset.ts'

const INIT = Uint8Array.from([0, 1, 254, 255])
const playlists = {
	'master.m3u8': `#EXTM3U
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="English",DEFAULT=YES,URI="a0.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=500000,CODECS="avc1.640028,mp4a.40.2",RESOLUTION=640x360,AUDIO="audio"
h264-360p.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=200000,CODECS="avc1.640015,mp4a.40.2",RESOLUTION=426x240,AUDIO="audio"
h264-240p.m3u8
`,
	'h264-360p.m3u8': '#EXTM3U\n#EXT-X-MAP:URI="video/init.mp4"\n#EXTINF:4,\nvideo/0.m4s\n',
	'h264-240p.m3u8': '#EXTM3U\n#EXT-X-MAP:URI="video/init.mp4"\n#EXTINF:4,\nlow/0.m4s\n',
	'a0.m3u8': '#EXTM3U\n#EXT-X-MAP:URI="audio/init.mp4"\n#EXTINF:4,\naudio/0.m4s\n',
}

let world: World
let ada: Person
let film: { id: string; playbackId: string }
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	film = await makeReady(world, ada, 'Film', { width: 640, height: 360 })
	const files = { ...playlists, 'video/init.mp4': INIT, 'audio/init.mp4': INIT }
	for (const [name, bytes] of Object.entries(files))
		await env.MEDIA.put(`media/${film.playbackId}/v1/${name}`, bytes)
})

const change = async (body: { visibility?: 'public' | 'unlisted' | 'signed'; title?: string }) =>
	world.ask(updateAsset, { params: { assetId: film.id }, body }, ada)
const configure = async (
	body: NonNullable<Parameters<typeof world.ask<typeof updateSettings>>[1]['body']>,
) => {
	await world.ask(updateSettings, { body }, ada)
	await deleteCachedPlayable(film.playbackId)
}
const mint = async (body: { audience?: 'v' | 't'; expiresInSec?: number } = {}, assetId = film.id) =>
	(await world.ask(createPlaybackToken, { params: { assetId }, body }, ada)).ok.data.token

async function open(query = '', { id = film.playbackId, method = 'GET', headers = {} } = {}) {
	const response = await world.fetch(
		new Request(`https://edge.test/embed/${id}${query}`, { method, headers }),
	)
	return { status: response.status, headers: response.headers, text: await response.text() }
}

const dataOf = (text: string): PlayerPage =>
	JSON.parse(/<script type="application\/json" id="player-page">(.*?)<\/script>/.exec(text)?.[1] ?? 'null')
const videoOf = (text: string) => {
	const { video } = dataOf(text)
	if (!video) throw new Error('the page has no video')
	return video
}
const stylesOf = (text: string): string => /<style nonce="\w+">(.*?)<\/style>/s.exec(text)?.[1] ?? ''
/** The page without what differs with each request. */
const withoutIds = (text: string): string => {
	const { reportId } = dataOf(text)
	return text.replaceAll(reportId, 'REPORT').replace(/nonce="\w{32}"/, 'nonce="NONCE"')
}

describe('/embed/:playbackId', () => {
	test('/embed/:playbackId shows a video to anyone', async () => {
		const { status, text } = await open()
		expect(status).toBe(200)
		expect(text).toContain('<title>Film</title>')
		expect(text).toMatch(
			/<img class="poster" src="\/v1\/playback\/\w{22}\/thumbnail[^"]*" width="640" height="360" alt=""/,
		)
		expect(stylesOf(text)).toContain('--aspect:1.7778')
		expect(dataOf(text)).toMatchObject({ kind: 'embed', language: 'en', failure: null })
	})

	test('the embed page shows the title of the video, another one, or none, and the watch page has a heading', async () => {
		const titleOf = (text: string) => /<p class="overlay-title" dir="auto">(.*?)<\/p>/.exec(text)?.[1]
		expect(titleOf((await open()).text)).toBe('Film')
		expect(titleOf((await open('?title=Other')).text)).toBe('Other')
		expect(titleOf((await open('?title=')).text)).toBeUndefined()
		const watch = await world.fetch(new Request(`https://edge.test/watch/${film.playbackId}`))
		expect(titleOf(await watch.text())).toBeUndefined()
	})

	test('the embed page contains the playlists and init segments that start the playback', async () => {
		const folder = `/media/${film.playbackId}/v1/`
		const { manifestPath, firstPlaylist, lowestPlaylist, files } = videoOf((await open()).text)
		expect(manifestPath).toBe(`${folder}master.m3u8`)
		expect(firstPlaylist).toBe(`${folder}h264-360p.m3u8`)
		expect(lowestPlaylist).toBe(`${folder}h264-240p.m3u8`)
		const init = { base64: 'AAH+/w==' }
		expect(files).toEqual({
			...Object.fromEntries(Object.entries(playlists).map(([name, text]) => [folder + name, { text }])),
			[`${folder}video/init.mp4`]: init,
			[`${folder}audio/init.mp4`]: init,
		})
	})

	test('the embed page of audio contains its peaks and styles, and a page of a video neither', async () => {
		const audio = await makeReady(world, ada, 'Episode', { width: null, height: null })
		const folder = `media/${audio.playbackId}/v1/`
		const master = '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=130000,CODECS="mp4a.40.2"\na0.m3u8\n'
		await env.MEDIA.put(`${folder}master.m3u8`, master)
		await env.MEDIA.put(`${folder}peaks.json`, '{"peaks":[0,255,7]}')
		const page = (await open('', { id: audio.playbackId })).text
		expect(videoOf(page)).toMatchObject({ isAudioOnly: true, peaks: [0, 255, 7], posterPath: null })
		expect(page).toContain('class="player is-audio"')
		const video = (await open()).text
		expect(videoOf(video).peaks).toBeNull()
		expect(video).not.toContain('is-audio')
	})

	test.each(['', '{', '{"peaks":[256]}', '[]'])(
		'the embed page of audio works with damaged peaks: %j',
		async (text) => {
			const audio = await makeReady(world, ada, 'Episode', { width: null, height: null })
			const folder = `media/${audio.playbackId}/v1/`
			await env.MEDIA.put(`${folder}master.m3u8`, '#EXTM3U\n')
			await env.MEDIA.put(`${folder}peaks.json`, text)
			const { status, text: page } = await open('', { id: audio.playbackId })
			expect([status, videoOf(page).peaks]).toEqual([200, null])
		},
	)

	test('the embed page contains no large files, and none without a master playlist', async () => {
		const folder = `media/${film.playbackId}/v1/`
		await env.MEDIA.put(`${folder}h264-360p.m3u8`, playlists['h264-360p.m3u8'] + '#\n'.repeat(80_000))
		await env.MEDIA.put(`${folder}audio/init.mp4`, new Uint8Array(4_097))
		const names = Object.keys(videoOf((await open()).text).files)
		expect(names.map((name) => name.split('/').at(-1)).toSorted()).toEqual([
			'a0.m3u8',
			'h264-240p.m3u8',
			'init.mp4',
			'master.m3u8',
		])
		const other = await makeReady(world, ada)
		const { status, text } = await open('', { id: other.playbackId })
		expect([status, videoOf(text).files, videoOf(text).firstPlaylist]).toEqual([200, {}, null])
	})

	test('the embed page answers HEAD without a body, and other methods with 405', async () => {
		const head = await open('', { method: 'HEAD' })
		expect([head.status, head.text]).toEqual([200, ''])
		expect(head.headers.get('content-type')).toBe('text/html; charset=utf-8')
		for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
			const refused = await open('', { method })
			expect([method, refused.status, refused.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD'])
		}
	})

	test('the embed page costs one statement, and none while the video is popular', async () => {
		world.statements.length = 0
		await open()
		expect(world.statements).toHaveLength(1)
		await open('?color=ff0000&t=5')
		expect(world.statements).toHaveLength(1)
	})

	test('the embed page is the same for an unknown video and for one that is being processed', async () => {
		const processing = (await world.ask(createAsset, { body: { title: 'Secret' } }, ada)).ok.data
		const answers = await Promise.all(
			[processing.playbackId, 'x'.repeat(22), 'x', '%00', '..%2f..%2fv1', 'é'.repeat(22)].map((id) =>
				open('', { id }),
			),
		)
		const [first] = answers
		for (const { status, text } of answers) {
			expect(status).toBe(404)
			expect(withoutIds(text)).toBe(withoutIds(first?.text ?? ''))
		}
		expect(first?.text).toContain('<h1>This video is not available</h1>')
		expect(first?.text).toContain('<meta name="robots" content="noindex')
		expect(dataOf(first?.text ?? '')).toMatchObject({ failure: 'unavailable', video: null })
		const names = (headers: Headers) => [...headers].map(([name]) => name).toSorted()
		expect(new Set(answers.map(({ headers }) => JSON.stringify(names(headers))))).toHaveLength(1)
	})

	test('the embed page shows no video of a suspended organization, like the playback record', async () => {
		await world.deps(({ db, now }) => db.all(`update orgs set suspended_at = ${now} returning id`))
		await deleteCachedPlayable(film.playbackId)
		const record = await world.ask(getPlayback, { params: { playbackId: film.playbackId } })
		expect([record.status, (await open()).status]).toEqual([404, 404])
	})
})

describe('the page of a signed video', () => {
	beforeEach(() => change({ visibility: 'signed', title: 'Secret film' }))

	test('the embed page of a signed video needs a valid playback token of this video', async () => {
		const other = await makeReady(world, ada, 'Other')
		const expiring = await mint({ expiresInSec: 60 })
		expect((await open(`?token=${expiring}`)).status).toBe(200)
		world.pass(100_000)
		const tokens = ['', 'x', expiring, await mint({ audience: 't' }), await mint({}, other.id), ada.token]
		for (const query of ['', ...tokens.map((token) => `?token=${encodeURIComponent(token)}`)]) {
			const { status, text, headers } = await open(query)
			expect([query, status]).toEqual([query, 403])
			expect(text).toContain('<h1>This video needs a valid link</h1>')
			expect(text).not.toMatch(/Secret|master\.m3u8|thumbnail/)
			expect(dataOf(text)).toMatchObject({ failure: 'expired', video: null })
			expect(headers.get('link')).toBeNull()
		}
	})

	test('the embed page has the token in the paths of media and of its thumbnail alone', async () => {
		await world.deps(({ db }) =>
			db.all(`update assets set storyboard_key = 'media/' || playback_id || '/v1/s.vtt' returning id`),
		)
		await deleteCachedPlayable(film.playbackId)
		const token = await mint()
		const { status, text, headers } = await open(`?token=${token}`)
		expect(status).toBe(200)
		const { manifestPath, storyboardPath, firstPlaylist, lowestPlaylist, files, ...video } = videoOf(text)
		const posterPath = video.posterPath ?? ''
		const media = `/media/${film.playbackId}/~${token}/v1/`
		expect(posterPath).toContain(`token=${token}`)
		for (const path of [manifestPath, storyboardPath, firstPlaylist, lowestPlaylist, ...Object.keys(files)])
			expect(path?.slice(0, media.length)).toBe(media)
		const elsewhere = text
			.replaceAll(media, '')
			.replaceAll(posterPath.replaceAll('&', '&amp;'), '')
			.replaceAll(posterPath, '')
		expect(elsewhere).not.toContain(token)
		expect([...headers].filter(([, value]) => value.includes(token)).map(([name]) => name)).toEqual(['link'])
		for (const path of [manifestPath, posterPath])
			expect((await world.fetch(new Request(`https://edge.test${path}`))).status).not.toBe(403)
	})

	test('the embed page has the policy of its organization only with a valid token', async () => {
		await configure({ allowedEmbedDomains: ['example.org'] })
		const policyOf = async (query: string) => (await open(query)).headers.get('content-security-policy') ?? ''
		expect(await policyOf(`?token=${await mint()}`)).toContain("frame-ancestors 'self' example.org;")
		expect(await policyOf('?token=x')).toContain('frame-ancestors *;')
	})
})

describe('the headers of the page', () => {
	test('the headers of the embed page let it run on any site, and load from its own origin alone', async () => {
		const { headers, text } = await open()
		const [, nonce] = /<style nonce="(\w{32})">/.exec(text) ?? []
		const policy = headers.get('content-security-policy')?.split('; ')
		expect(policy).toEqual([
			"default-src 'none'",
			"script-src 'self'",
			`style-src 'nonce-${nonce}'`,
			"img-src 'self' data: blob:",
			"media-src 'self' blob:",
			"connect-src 'self'",
			"worker-src 'none'",
			"base-uri 'none'",
			"form-action 'self'",
			'frame-ancestors *',
			"require-trusted-types-for 'script'",
			"trusted-types 'none'",
			'report-uri /v1/reports',
			'report-to default',
		])
		expect(Object.fromEntries(headers)).toMatchObject({
			'content-type': 'text/html; charset=utf-8',
			'cache-control': 'private, no-cache',
			'cross-origin-resource-policy': 'cross-origin',
			'cross-origin-embedder-policy': 'require-corp',
			'referrer-policy': 'no-referrer',
			'x-content-type-options': 'nosniff',
			'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
		})
		expect(headers.get('x-frame-options')).toBeNull()
		expect(headers.get('set-cookie')).toBeNull()
		expect(headers.get('access-control-allow-origin')).toBeNull()
	})

	test('the embed page has another nonce for each request, which no query can change', async () => {
		const nonces = await Promise.all(
			['', '', '?nonce=x', `?title=${encodeURIComponent("'; script-src *")}`].map(async (query) => {
				const policy = (await open(query)).headers.get('content-security-policy') ?? ''
				expect(policy).toContain("script-src 'self';")
				return /'nonce-(\w{32})'/.exec(policy)?.[1]
			}),
		)
		expect(new Set(nonces)).toHaveLength(4)
		expect(nonces).not.toContain(undefined)
	})

	test('the headers of the embed page allow the sites that the organization allows, and no others', async () => {
		await configure({ allowedEmbedDomains: ['example.org', '*.school.example'] })
		const { headers } = await open()
		expect(headers.get('content-security-policy')).toContain(
			"; frame-ancestors 'self' example.org *.school.example; ",
		)
	})

	test('the headers of the embed page preload the poster that it shows', async () => {
		const { headers, text } = await open()
		const posterPath = videoOf(text).posterPath ?? ''
		expect(headers.get('link')).toBe(`<${posterPath}>; rel="preload"; as="image"; fetchpriority="high"`)
		expect(text).toContain(`src="${posterPath.replaceAll('&', '&amp;')}"`)
	})

	test('the headers of the embed page name no poster of audio without an image', async () => {
		const audio = await makeReady(world, ada, 'Speech')
		const { headers, text } = await open('', { id: audio.playbackId })
		expect(videoOf(text)).toMatchObject({ isAudioOnly: true, posterPath: null })
		expect(headers.get('link')).toBeNull()
		expect(text).not.toContain('class="poster"')
	})

	test('the headers of the embed page repeat no request id that could inject another header', async () => {
		const given = await open('', { id: 'x', headers: { 'x-request-id': 'trace-12345678' } })
		expect(given.text).toContain('Report id trace-12345678')
		const hostile = await open('', { id: 'x', headers: { 'x-request-id': '"><script>alert(1)</script>' } })
		expect(hostile.text).not.toContain('alert')
	})
})

describe('the branding of the page', () => {
	test('the embed page has the branding of its organization, and the address may choose another accent', async () => {
		await configure({ primaryColor: '#FF8800', theme: 'dark' })
		const styles = stylesOf((await open()).text)
		expect(styles).toContain('--accent:#ff8800;--on-accent:#000000;')
		expect(styles).toContain('color-scheme:dark;')
		const own = stylesOf((await open('?color=00f0a0')).text)
		expect(own).toContain('--accent:#00f0a0;')
		expect(own).toContain('color-scheme:dark;')
		expect(stylesOf((await open('?color=red;}')).text)).toContain('--accent:#ff8800;')
	})

	test('the embed page has the logo of the organization, if any, from the origin of the page', async () => {
		expect((await open()).text).not.toMatch(/has-logo"|class="logo"/)
		await world.ask(setLogo, {}, { ...ada, bytes: wholePng })
		await deleteCachedPlayable(film.playbackId)
		world.set({ PUBLIC_URL: 'https://api.example' })
		const { text } = await open()
		const [, src = ''] = /<img class="logo" src="([^"]*)" alt=""/.exec(text) ?? []
		expect(src).toMatch(/^\/v1\/settings\/logo\/\w{22}\.png$/)
		expect(videoOf(text).logoPath).toBe(src)
		const image = await world.fetch(new Request(`https://edge.test${src}`))
		expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png'])
		// Frames without an origin load it under this policy only with the header.
		expect(image.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
	})

	test('the embed page includes the defaults of the player, which the address may change', {
		tags: 'd1',
	}, async () => {
		await configure({ player: { autoplay: true, muted: true, captions: true, controls: false } })
		expect(dataOf((await open()).text).start).toMatchObject({
			autoplay: true,
			muted: null,
			mutedByDefault: true,
			captions: true,
			controls: false,
		})
		expect(dataOf((await open('?autoplay=0&controls=1&cc=de')).text).start).toMatchObject({
			autoplay: false,
			muted: null,
			mutedByDefault: true,
			captions: 'de',
			controls: true,
		})
	})
})
