/** @module-tag d1 */
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { updateAsset } from '#schema/contract/video/assets.ts'
import { getOEmbed } from '#schema/contract/watch/oembed.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { makePng } from '../../../support/shared/pictures.ts'
import { makeReady } from '../playback/ready-asset.ts'

let world: World
let ada: Person
let film: { id: string; playbackId: string }
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	film = await makeReady(world, ada, 'My <film>', { width: 1_280, height: 720 })
})

const at = (path: string, origin = 'https://edge.test') => `${origin}/${path}/${film.playbackId}`
const ask = (url: string, more: { maxwidth?: string; maxheight?: string; format?: string } = {}) =>
	world.ask(getOEmbed, { query: { url, ...more } }, { headers: { origin: 'https://blog.example' } })

describe('GET /oembed', () => {
	test('GET /oembed describes the player of a video for any site, from the address of either page', async () => {
		for (const path of ['watch', 'embed']) {
			const { ok, headers, statements } = await ask(at(path))
			expect(ok).toEqual({
				type: 'video',
				version: '1.0',
				provider_name: 'Playhouse',
				provider_url: 'https://edge.test',
				title: 'My <film>',
				html: expect.stringMatching(
					/^<iframe src="https:\/\/edge\.test\/embed\/\w{22}" title="My &lt;film&gt;" /,
				),
				width: 1280,
				height: 720,
				cache_age: 3_600,
			})
			expect(headers.get('access-control-allow-origin')).toBe('*')
			// The response repeats the Host header.
			expect(headers.get('cache-control')).toBe('private, max-age=300')
			expect(headers.get('content-type')).toBe('application/json')
			expect(statements).toHaveLength(path === 'watch' ? 1 : 0)
		}
	})

	test('GET /oembed keeps the size within the maximum', async () => {
		const sizeOf = async (more: { maxwidth?: string; maxheight?: string }) => {
			const { width, height } = (await ask(at('watch'), more)).ok
			return [width, height]
		}
		expect(await sizeOf({ maxwidth: '640' })).toEqual([640, 360])
		expect(await sizeOf({ maxheight: '180' })).toEqual([320, 180])
		expect(await sizeOf({ maxwidth: '640', maxheight: '90' })).toEqual([160, 90])
		expect(await sizeOf({ maxwidth: '5000', maxheight: '5000' })).toEqual([1280, 720])
	})

	test('GET /oembed returns the thumbnail with its size, unless it is larger than the maximum', async () => {
		const frameKey = `media/${film.playbackId}/v1/poster.png`
		await env.MEDIA.put(frameKey, makePng(640, 360), { httpMetadata: { contentType: 'image/png' } })
		await world.deps(({ db }) => db.all(`update assets set frame_key = '${frameKey}' returning id`))
		const { ok } = await ask(at('watch'))
		expect(ok).toMatchObject({ thumbnail_width: 640, thumbnail_height: 360 })
		const thumbnail = await world.fetch(new Request(ok.thumbnail_url ?? ''))
		expect(thumbnail.headers.get('content-type')).toBe('image/png')
		expect((await ask(at('watch'), { maxwidth: '639' })).ok).not.toHaveProperty('thumbnail_url')
		expect((await ask(at('watch'), { maxheight: '360' })).ok).toHaveProperty('thumbnail_url')
	})

	test('GET /oembed keeps the valid parameters of the player, and never the token', async () => {
		const { html } = (
			await ask(`${at('watch')}?t=1m3s&color=ff0000&muted&speed=99&token=abc.def&utm_source=x`)
		).ok
		expect(html).toContain(`src="${at('embed')}?color=ff0000&amp;t=1m3s&amp;muted="`)
		expect(html).not.toContain('abc.def')
	})

	test('GET /oembed accepts pages below PLAYER_URL, PUBLIC_URL and the request’s host', async () => {
		world.set({ PLAYER_URL: 'https://watch.example.org', PUBLIC_URL: 'https://api.example.org' })
		for (const origin of ['https://watch.example.org', 'https://api.example.org', 'https://edge.test']) {
			const { provider_url, html } = (await ask(at('watch', origin))).ok
			expect(provider_url).toBe('https://watch.example.org')
			expect(html).toContain(`src="${at('embed', 'https://watch.example.org')}"`)
		}
		expect((await ask(at('watch', 'https://elsewhere.example'))).status).toBe(404)
	})

	test('GET /oembed finds an unlisted video, and refuses a signed one', async () => {
		const show = (visibility: 'unlisted' | 'signed') =>
			world.ask(updateAsset, { params: { assetId: film.id }, body: { visibility } }, ada)
		await show('unlisted')
		expect((await ask(at('watch'))).status).toBe(200)
		await show('signed')
		const { status, code, text } = await ask(at('watch'))
		expect([status, code]).toEqual([401, 'unauthorized'])
		expect(text).not.toContain('film>')
	})

	test.each([
		['an unknown video', `https://edge.test/watch/${'x'.repeat(22)}`],
		['another page of this installation', 'https://edge.test/join'],
		['another site', 'https://elsewhere.example/watch/x'],
	])('GET /oembed answers 404 for %s', async (_, url) => {
		const { status, code, headers } = await ask(url)
		expect([status, code]).toEqual([404, 'not_found'])
		expect(headers.get('access-control-allow-origin')).toBe('*')
	})

	test.each([
		['a missing address', {}],
		['an empty address', { url: '' }],
		['an address that is no URL', { url: 'watch/abc' }],
		['a script', { url: 'javascript:alert(1)' }],
		['a maximum of zero', { url: 'https://edge.test/', maxwidth: '0' }],
		['a negative maximum', { url: 'https://edge.test/', maxheight: '-1' }],
		['a maximum that is no number', { url: 'https://edge.test/', maxwidth: '100px' }],
	])('GET /oembed answers 400 for %s', async (_, query) => {
		const { status, code } = await world.ask(getOEmbed, { query: query as { url: string } })
		expect([status, code]).toEqual([400, 'validation'])
	})

	test('GET /oembed answers 501 for any format but json', async () => {
		expect((await ask(at('watch'), { format: 'json' })).status).toBe(200)
		for (const format of ['xml', 'html', '']) {
			const { status, code, error } = await ask(at('watch'), { format })
			expect([status, code]).toEqual([501, 'format_unsupported'])
			expect(error).toBe('format: must be json')
		}
	})
})
