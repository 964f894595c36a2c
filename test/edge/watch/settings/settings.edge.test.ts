import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import {
	getSettings,
	updateEncodingSettings,
	updateSettings,
} from '#schema/contract/watch/settings/settings.ts'
import { deleteCachedPlayable, playableCacheKey } from '../../../../edge/video/assets/playable/playable.ts'
import { openWorld, type Person, type Who, type World } from '../../../support/edge/world.ts'
import { makeReady } from '../playback/ready-asset.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const read = async (who: Who = ada) => (await world.ask(getSettings, {}, who)).ok.data
const change = (body: object, who: Who = ada) => world.ask(updateSettings, { body }, who)
const standard = {
	primaryColor: '#c2371f',
	theme: 'dark',
	logoUrl: null,
	player: { autoplay: false, muted: false, captions: false, controls: true },
	allowedEmbedDomains: [],
	analytics: { collect: 'full', onDoNotTrack: 'anonymous', showLiveCount: true },
	encoding: { codecs: ['h264'] },
}

describe('the settings of an organization', () => {
	test('the settings of an organization have defaults, and include the encoding settings', async () => {
		expect(await read()).toEqual(standard)
		await world.ask(updateEncodingSettings, { body: { codecs: ['h264', 'av1'] } }, ada)
		expect(await read()).toEqual({ ...standard, encoding: { codecs: ['h264', 'av1'] } })
	})

	test('the settings of an organization change only in the given fields', async () => {
		const { ok } = await change({ primaryColor: '#FFcc00', player: { muted: true } })
		const expected = { ...standard, primaryColor: '#ffcc00', player: { ...standard.player, muted: true } }
		expect(ok.data).toEqual(expected)
		await change({ theme: 'auto', player: { autoplay: true, controls: false } })
		expect(await read()).toEqual({
			...expected,
			theme: 'auto',
			player: { autoplay: true, muted: true, captions: false, controls: false },
		})
		const { ok: changed } = await change({ analytics: { collect: 'anonymous' } })
		expect(changed.data.analytics).toEqual({ ...standard.analytics, collect: 'anonymous' })
	})

	test('the settings keep both of two concurrent changes to different fields', async () => {
		await Promise.all([
			change({ player: { muted: true } }),
			change({ player: { captions: true } }),
			change({ theme: 'light' }),
		])
		const expected = { ...standard.player, muted: true, captions: true }
		expect(await read()).toEqual({ ...standard, theme: 'light', player: expected })
	})

	test.each<[message: string, body: object]>([
		['the body must change at least one field', {}],
		['unknown field unknown', { unknown: 1 }],
		['primaryColor: must be a color such as #4f46e5', { primaryColor: 'red' }],
		['primaryColor: must be a color such as #4f46e5', { primaryColor: '#fff' }],
		['primaryColor: must be a color such as #4f46e5', { primaryColor: '#4f46e5;}' }],
		['theme: must be one of dark, light, auto', { theme: 'blue' }],
		[
			'logoUrl: can only be null; upload a logo with PUT /v1/settings/logo',
			{ logoUrl: 'https://elsewhere.example/logo.png' },
		],
		['player.muted: must be true or false', { player: { muted: 'yes' } }],
		['player.muted: must be true or false', { player: { muted: null } }],
		[
			'allowedEmbedDomains.1: must be a host name such as example.org or *.example.org, without scheme, port or path',
			{ allowedEmbedDomains: ['a.example', 'https://b.example'] },
		],
		[
			'allowedEmbedDomains: must have at most 50 entries',
			{ allowedEmbedDomains: Array(51).fill('a.example') },
		],
	])('the settings reject a change because %s', async (message, body) => {
		const { status, error } = await change(body)
		expect([status, error]).toEqual([400, message])
		expect(await read()).toEqual(standard)
	})

	test('the settings list embedding domains in lower case and Punycode, each once', async () => {
		const { ok } = await change({ allowedEmbedDomains: [' Example.ORG', '*.bücher.example', 'example.org'] })
		expect(ok.data.allowedEmbedDomains).toEqual(['example.org', '*.xn--bcher-kva.example'])
		await change({ allowedEmbedDomains: [] })
		expect(await read()).toEqual(standard)
	})

	test('the settings are read with the scope read, and changed with the scope admin', async () => {
		const keyWith = async (scope: 'read' | 'write' | 'admin') => {
			const body = { name: scope, scopes: [scope] }
			return (await world.ask(createApiKey, { params: { orgId: ada.orgId }, body }, ada)).ok.data
		}
		const [reader, writer, admin] = [await keyWith('read'), await keyWith('write'), await keyWith('admin')]
		expect(await read(reader)).toEqual(standard)
		for (const who of [reader, writer]) expect((await change({ theme: 'light' }, who)).status).toBe(403)
		expect((await change({ theme: 'light' }, admin)).status).toBe(200)
		expect((await world.ask(getSettings, {})).status).toBe(401)
	})

	test('the settings belong to one organization', async () => {
		const bob = await world.person()
		await change({ primaryColor: '#000000', allowedEmbedDomains: ['a.example'], player: { muted: true } })
		expect(await read(bob)).toEqual(standard)
		await change({ theme: 'light' }, bob)
		expect(await read()).toMatchObject({ primaryColor: '#000000', theme: 'dark' })
	})
})

describe('the branding in a playback record', () => {
	const watch = (playbackId: string) => world.ask(getPlayback, { params: { playbackId } })

	test('branding is read with the video in one statement, and cached for at most 60 seconds', async () => {
		const { playbackId } = await makeReady(world, ada)
		const first = await watch(playbackId)
		expect(first.ok.data.settings).toEqual({ primaryColor: '#c2371f', theme: 'dark', logoUrl: null })
		expect(first.statements).toHaveLength(1)
		await change({ primaryColor: '#112233', theme: 'light' })
		const cached = await watch(playbackId)
		expect([cached.ok.data.settings.theme, cached.statements]).toEqual(['dark', []])
		const kept = await caches.default.match(`https://cache.playhouse.invalid/${playableCacheKey(playbackId)}`)
		expect(kept?.headers.get('cache-control')).toBe('public, max-age=60')
		// As after 60 seconds.
		await deleteCachedPlayable(playbackId)
		const later = await watch(playbackId)
		expect(later.ok.data.settings).toEqual({ primaryColor: '#112233', theme: 'light', logoUrl: null })
		expect(later.statements).toHaveLength(1)
	})

	test('the branding in a playback record is that of the organization that owns the video', async () => {
		const bob = await world.person()
		await change({ primaryColor: '#112233' })
		const { playbackId } = await makeReady(world, bob)
		expect((await watch(playbackId)).ok.data.settings.primaryColor).toBe('#c2371f')
	})
})
