import { beforeAll, describe, expect, test } from 'vitest'
import { replaceTranscript } from '#schema/contract/ai/transcripts.ts'
import { parseTitle } from '../../../../edge/watch/player/parameters.ts'
import { chromiumPath } from '../../../support/shared/chromium.ts'
import { needs } from '../../../support/shared/needs.ts'
import { listChoices } from './controls/settings.node.ts'
import { withCaptions } from './player-media.node.ts'
import {
	ffmpeg,
	hasFrame,
	type OpenPage,
	type PlayerSite,
	sharePlayerSite,
	untilVideo,
} from './player-site.node.ts'

const RUN = 'window.executed=1'
const ELSEWHERE = 'https://elsewhere.example'

const texts = [
	`</script><script>${RUN}</script>`,
	`"><img src=x onerror=${RUN}>`,
	`'><svg/onload=${RUN}>`,
	`</title></style></p><script src=${ELSEWHERE}/x.js></script>`,
	`<!--<script>${RUN}`,
	`<base href=${ELSEWHERE}/><link rel=stylesheet href=${ELSEWHERE}/x.css>`,
	`<iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
	`{{constructor.constructor('${RUN}')()}}`,
	`\${${RUN}} \`\${${RUN}}\``,
	`javascript:${RUN}//`,
	`\u2028${RUN}\u2029;'+${RUN}+'`,
	'\u202egnp.exe\u2066 \u200f',
	`&lt;img src=x onerror=${RUN}&gt; &#60;b&#62; \\u003cb\\u003e`,
	`}:root{--panel:url(${ELSEWHERE})}</style>`,
]

describe('hostile texts', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	let site: PlayerSite

	beforeAll(async () => {
		site = await sharePlayerSite()
	})

	async function expectHarmless({ page, requests, problems }: OpenPage, text = ''): Promise<void> {
		expect(await page.evaluate('window.executed'), text).toBeUndefined()
		expect(await page.evaluate('document.baseURI === location.href'), text).toBe(true)
		const urls = requests.map((request) => request.url()).filter((url) => !/^(blob|data):/.test(url))
		expect(urls.filter((url) => !url.startsWith(`${site.url}/`))).toEqual([])
		expect([text, ...problems]).toEqual([text])
	}

	test('titles, descriptions, transcripts and comments are shown as text and execute nothing', async () => {
		const files = new Map([...site.film].filter(([name]) => /master\.m3u8|poster\.jpg$/.test(name)))
		await using opened = await site.open('/player/')
		const { page } = opened
		opened.problems.length = 0
		for (const text of texts) {
			const film = await site.publish('Film', files, { title: text, description: text })
			const line = text.replaceAll(/[\u2028\u2029]/g, ' ').trim()
			const transcript = { segments: [{ start: 1, end: 2, text: line }] }
			await site.call(
				replaceTranscript,
				{ params: { assetId: film.id }, body: { transcript } },
				{ token: site.token },
			)
			// As values of parameters that must not reach the page at all, too.
			const query = new URLSearchParams(
				['title', 'color', 'lang', 'cc', 't', 'preload', 'theme'].map((name): [string, string] => [
					name,
					text,
				]),
			)
			await page.goto(`${site.url}/embed/${film.playbackId}?${query}`)
			await page.locator('.controls').waitFor({ state: 'attached' })
			await expectHarmless(opened, text)
			expect(await page.locator('.overlay-title').textContent()).toBe(parseTitle(text))
			expect(await page.locator('title').textContent()).toBe(text)
			expect(await page.locator('.start').count()).toBe(1)
			await page.goto(`${site.url}/watch/${film.playbackId}?${query}`)
			await page.locator('.controls').waitFor({ state: 'attached' })
			await expectHarmless(opened, text)
			expect(await page.locator('h1').textContent()).toBe(text)
			expect(await page.locator('.description').textContent()).toBe(text)
			await page.getByRole('searchbox').fill(line.slice(2, 9))
			await page.locator('mark').first().waitFor()
			expect(await page.locator('.transcript p a').textContent()).toBe(line)
			await expectHarmless(opened, text)
		}
	})

	test('hostile text in place of an id or a token is no part of the page', async () => {
		for (const text of texts) {
			const path = `${encodeURIComponent(text)}?token=${encodeURIComponent(text)}`
			const response = await fetch(`${site.url}/embed/${path}`)
			expect(response.status).toBe(404)
			const body = await response.text()
			expect(body).not.toContain('executed')
			expect(body).not.toContain(ELSEWHERE)
		}
		await using opened = await site.open(`/embed/${encodeURIComponent(texts[0] ?? '')}`)
		// The browser reports the status 404.
		opened.problems.splice(0, 1)
		await expectHarmless(opened)
	})

	test('hostile text in captions and in the names of tracks is shown as text', async () => {
		const name = `<img src=x onerror=${RUN}>`
		const captions = `WEBVTT\n\n00:00:00.000 --> 00:00:16.000\n&lt;img src=x onerror=${RUN}&gt;<img src=x onerror=${RUN}> {{x}}\n`
		const files = new Map(withCaptions(site.film))
		const master = Buffer.from(files.get('master.m3u8') ?? '').toString()
		files.set('master.m3u8', Buffer.from(master.replaceAll(/NAME="[^"]*"/g, `NAME="${name}"`)))
		files.set('captions.vtt', Buffer.from(captions))
		const film = await site.publish('Film', files)
		await using opened = await site.open(`/embed/${film.playbackId}?cc=en`)
		const { page } = opened
		await page.click('.start')
		await untilVideo(page, hasFrame)
		await expect.poll(() => page.locator('.captions').textContent()).toBe(`${name} {{x}}`)
		for (const label of ['Audio', 'Captions']) expect((await listChoices(page, label)).at(-1)).toBe(name)
		await expectHarmless(opened)
	})
})
