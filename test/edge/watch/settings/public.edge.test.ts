/** @module-tag d1 */
import { beforeEach, describe, expect, test } from 'vitest'
import { createPlaybackToken, updateAsset } from '#schema/contract/video/assets.ts'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import { getPublicSettings } from '#schema/contract/watch/settings/public-settings.ts'
import { updateSettings } from '#schema/contract/watch/settings/settings.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { makeReady } from '../playback/ready-asset.ts'

let world: World
let ada: Person
let film: { id: string; playbackId: string }
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	film = await makeReady(world, ada)
	const body = { primaryColor: '#ffcc00', player: { muted: true }, allowedEmbedDomains: ['a.example'] }
	await world.ask(updateSettings, { body }, ada)
})

const ask = (
	query: { playbackId?: string; token?: string; org?: string },
	headers: Record<string, string> = {},
) => world.ask(getPublicSettings, { query }, { headers })
const expected = {
	primaryColor: '#ffcc00',
	textOnPrimary: '#000000',
	theme: 'dark',
	logoUrl: null,
	player: { autoplay: false, muted: true, captions: false, controls: true },
	frameAncestors: "'self' a.example",
}

describe('the public settings', () => {
	test('the public settings are found by a video or the slug of the organization, and name no id', async () => {
		for (const query of [{ playbackId: film.playbackId }, { org: ada.orgSlug }]) {
			const { ok, text, statements, headers } = await ask(query, { origin: 'https://elsewhere.example' })
			expect(ok.data).toEqual(expected)
			expect(statements).toHaveLength(1)
			expect(headers.get('access-control-allow-origin')).toBe('*')
			for (const id of [ada.orgId, film.id]) expect(text).not.toContain(id)
		}
	})

	test('the public settings of a video cost no SQL while its playback record is cached', async () => {
		await world.ask(getPlayback, { params: { playbackId: film.playbackId } })
		expect((await ask({ playbackId: film.playbackId })).statements).toEqual([])
	})

	test('the public settings of two organizations are not mixed up', async () => {
		const bob = await world.person()
		const { playbackId } = await makeReady(world, bob)
		expect((await ask({ playbackId })).ok.data.primaryColor).toBe('#c2371f')
		expect((await ask({ org: bob.orgSlug })).ok.data.primaryColor).toBe('#c2371f')
	})

	test.each<[what: string, hide: () => Promise<unknown>]>([
		[
			'a signed',
			() => world.ask(updateAsset, { params: { assetId: film.id }, body: { visibility: 'signed' } }, ada),
		],
		['an unready', () => world.deps(({ db }) => db.all("update assets set status = 'queued' returning 1"))],
		['a deleted', () => world.deps(({ db }) => db.all('delete from assets returning 1'))],
	])('the public settings of %s video return the same 404 as an unknown id', async (_, hide) => {
		await hide()
		const [known, unknown] = [
			await ask({ playbackId: film.playbackId }),
			await ask({ playbackId: 'x'.repeat(22) }),
		]
		expect([known.status, unknown.status]).toEqual([404, 404])
		expect(known.text).toBe(unknown.text)
	})

	test('the public settings of a signed video are found with a playback token', async () => {
		const params = { assetId: film.id }
		await world.ask(updateAsset, { params, body: { visibility: 'signed' } }, ada)
		const { token } = (await world.ask(createPlaybackToken, { params }, ada)).ok.data
		const query = { playbackId: film.playbackId }
		expect((await ask({ ...query, token })).ok.data.player).toMatchObject({ controls: true })
		expect((await ask({ ...query, token: `${token}x` })).status).toBe(404)
	})

	test('the public settings of an unknown slug return 404', async () => {
		expect((await ask({ org: 'nobody' })).status).toBe(404)
	})

	test('the public settings return 404 while the organization is suspended, like its videos', async () => {
		await world.deps(({ db }) => db.all('update orgs set suspended_at = 1 returning 1'))
		expect((await world.ask(getPlayback, { params: { playbackId: film.playbackId } })).status).toBe(404)
		for (const query of [{ playbackId: film.playbackId }, { org: ada.orgSlug }])
			expect((await ask(query)).status).toBe(404)
	})

	test.each([{}, { playbackId: 'x'.repeat(22), org: 'a' }])(
		'the public settings need one of two parameters: %j',
		async (query) => {
			const { status, error } = await ask(query)
			expect([status, error]).toEqual([400, 'send either playbackId or org, and not both'])
		},
	)

	test.each([{ org: '' }, { org: 'A b' }, { playbackId: "' or 1=1" }, { playbackId: '' }])(
		'the public settings reject a malformed parameter: %j',
		async (query) => {
			expect((await ask(query)).status).toBe(400)
		},
	)
})
