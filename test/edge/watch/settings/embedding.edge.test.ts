/** @module-tag d1 */
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { createPlaybackToken, updateAsset } from '#schema/contract/video/assets.ts'
import { updateSettings } from '#schema/contract/watch/settings/settings.ts'
import { deleteCachedPlayable } from '../../../../edge/video/assets/playable/playable.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { makeReady } from '../playback/ready-asset.ts'

let world: World
let ada: Person
let film: { id: string; playbackId: string }
let token: string
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	film = await makeReady(world, ada)
	for (const [path, text] of Object.entries({ 'master.m3u8': '#EXTM3U', '720p/1.m4s': 'x' }))
		await env.MEDIA.put(`media/${film.playbackId}/v1/${path}`, text)
	const params = { assetId: film.id }
	await world.ask(updateAsset, { params, body: { visibility: 'signed' } }, ada)
	token = (await world.ask(createPlaybackToken, { params }, ada)).ok.data.token
	await allow(['example.org', '*.school.example'])
})

async function allow(allowedEmbedDomains: string[]): Promise<void> {
	await world.ask(updateSettings, { body: { allowedEmbedDomains } }, ada)
	await deleteCachedPlayable(film.playbackId)
}
const request = (headers: Record<string, string>, path = 'master.m3u8', host = 'edge.test', method = 'GET') =>
	world.fetch(
		new Request(`https://${host}/media/${film.playbackId}/~${token}/v1/${path}`, { method, headers }),
	)
const statusOf = async (...args: Parameters<typeof request>) => (await request(...args)).status
const evil = { origin: 'https://evil.example', referer: 'https://evil.example/' }

describe('the manifest of a signed video', () => {
	test('the manifest of a signed video is served to allowed pages, our own player and native players', async () => {
		for (const headers of [
			{},
			{ origin: 'https://example.org' },
			{ referer: 'https://class.school.example/lesson' },
			{ origin: 'https://edge.test', referer: 'https://edge.test/embed/x' },
		])
			expect(await statusOf(headers), JSON.stringify(headers)).toBe(200)
	})

	test('a refusal of the manifest of a signed video to other pages has the reason, and is never cached', async () => {
		for (const method of ['GET', 'HEAD'])
			expect(await statusOf(evil, 'master.m3u8', 'edge.test', method)).toBe(403)
		const refused = await request(evil)
		expect(refused.headers.get('cache-control')).toBe('no-store')
		expect(await refused.json()).toEqual({
			error:
				"this video can't be embedded on evil.example; its organization can add the host to allowedEmbedDomains (PATCH /v1/settings)",
		})
		const served = await request({ origin: 'https://example.org' })
		expect(served.headers.get('vary')).toBe('Origin, Referer, Accept-Encoding')
		expect(served.headers.get('cache-control')).toBe('private, max-age=60')
	})

	test('the manifest of a signed video costs no SQL while the playback record is cached', async () => {
		await request({})
		world.statements.length = 0
		expect([await statusOf(evil), await statusOf({}), world.statements]).toEqual([403, 200, []])
	})

	test('the manifest of a signed video is refused to a community’s host of this installation', async () => {
		world.set({ PUBLIC_URL: 'https://play.example' })
		const page = { origin: 'https://club.example', referer: 'https://club.example/' }
		expect(await statusOf(page, 'master.m3u8', 'club.example')).toBe(403)
		expect(await statusOf({ origin: 'https://play.example' }, 'master.m3u8', 'club.example')).toBe(200)
	})

	test('the manifest of a signed video needs its token wherever it is embedded', async () => {
		token = 'x'
		expect(await statusOf({ origin: 'https://example.org' })).toBe(403)
	})

	test('the manifest of a signed video is served to every page without a list of domains', async () => {
		await allow([])
		const served = await request(evil)
		expect([served.status, served.headers.get('vary')]).toEqual([200, 'Accept-Encoding'])
	})
})

test('a segment of a signed video, and the manifest of a public one, are served to every page', async () => {
	expect(await statusOf(evil, '720p/1.m4s')).toBe(200)
	await world.ask(updateAsset, { params: { assetId: film.id }, body: { visibility: 'public' } }, ada)
	const address = `https://edge.test/media/${film.playbackId}/v1/master.m3u8`
	expect((await world.fetch(new Request(address, { headers: evil }))).status).toBe(200)
})
