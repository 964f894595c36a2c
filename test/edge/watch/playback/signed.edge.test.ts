/** @module-tag d1 */
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import {
	createPlaybackToken,
	getAsset,
	listAssets,
	revokePlaybackTokens,
	updateAsset,
} from '#schema/contract/video/assets.ts'
import { downloadVideo, downloadVideoAudio } from '#schema/contract/video/downloads.ts'
import { createComment, listComments } from '#schema/contract/watch/comments.ts'
import { getAssetPlayback, getPlayback, getThumbnail } from '#schema/contract/watch/playback.ts'
import { getReactions, toggleReaction } from '#schema/contract/watch/reactions.ts'
import { deleteCachedPlayable, playableCacheKey } from '../../../../edge/video/assets/playable/playable.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { previewsIn } from '../../../support/shared/previews.ts'
import { makeReady } from './ready-asset.ts'

let world: World
let ada: Person
let film: { id: string; playbackId: string }
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	film = await makeReady(world, ada)
	await world.deps((d) =>
		d.db.all(`update assets set preview_key = 'media/' || playback_id || '/v1/p.webp' returning id`),
	)
	await env.MEDIA.put(`media/${film.playbackId}/v1/master.m3u8`, '#EXTM3U\n720p/index.m3u8\n')
	await env.MEDIA.put(`media/${film.playbackId}/v1/720p/index.m3u8`, '#EXTM3U\n')
	await setVisibility('signed')
})

const setVisibility = (visibility: 'public' | 'unlisted' | 'signed') =>
	world.ask(updateAsset, { params: { assetId: film.id }, body: { visibility } }, ada)
const mint = async (body: { audience?: 'v' | 't' | 's'; expiresInSec?: number } = {}, assetId = film.id) =>
	(await world.ask(createPlaybackToken, { params: { assetId }, body }, ada)).ok.data.token
const watch = (token?: string, who = {}) =>
	world.ask(
		getPlayback,
		{ params: { playbackId: film.playbackId }, query: { ...(token !== undefined && { token }) } },
		who,
	)
const fetchAt = (url: string) => world.fetch(new Request(url))

describe('a signed asset', () => {
	test('a signed asset is reported as signed, and needs no token once it is public or unlisted', async () => {
		const { visibility } = (await world.ask(getAsset, { params: { assetId: film.id } }, ada)).ok.data
		expect(visibility).toBe('signed')
		for (const open of ['public', 'unlisted'] as const) {
			await setVisibility(open)
			const { manifestUrl } = (await watch()).ok.data
			expect(manifestUrl).not.toContain('~')
			expect((await fetchAt(manifestUrl)).status).toBe(200)
		}
	})

	test('a signed asset plays with its token, inner playlists included, and is never cached publicly', async () => {
		const { manifestUrl, thumbnailUrl } = (await watch(await mint())).ok.data
		const master = await fetchAt(manifestUrl)
		expect(master.status).toBe(200)
		expect(master.headers.get('cache-control')).toBe('private, max-age=60')
		const inner = new URL((await master.text()).split('\n')[1] ?? '', manifestUrl)
		expect((await fetchAt(inner.href)).status).toBe(200)
		const picture = await fetchAt(thumbnailUrl)
		expect([picture.status, picture.headers.get('cache-control')]).toEqual([200, 'private, max-age=60'])
	})

	test('the storyboard URL of a signed asset contains the token, and the `Link` header repeats it', async () => {
		await world.deps((d) =>
			d.db.all(`update assets set storyboard_key = 'media/' || playback_id || '/v1/s.vtt' returning id`),
		)
		await deleteCachedPlayable(film.playbackId)
		await env.MEDIA.put(`media/${film.playbackId}/v1/s.vtt`, 'WEBVTT\n')
		const token = await mint()
		const { ok, headers } = await watch(token)
		expect(ok.data.storyboardUrl).toBe(`https://edge.test/media/${film.playbackId}/~${token}/v1/s.vtt`)
		expect(previewsIn(headers.get('link')).storyboard).toBe(ok.data.storyboardUrl)
		expect(await (await fetchAt(ok.data.storyboardUrl ?? '')).text()).toBe('WEBVTT\n')
		await setVisibility('public')
		const open = (await watch()).ok.data.storyboardUrl
		expect(open).toBe(`https://edge.test/media/${film.playbackId}/v1/s.vtt`)
	})

	test('a signed asset requires a valid playback token of the same asset and audience', async () => {
		const other = await makeReady(world, ada, 'Other')
		const expiring = await mint({ expiresInSec: 60 })
		const tokens = [
			undefined,
			'',
			'x',
			await mint({ audience: 't' }),
			await mint({ audience: 's' }),
			await mint({}, other.id),
			ada.token,
		]
		const expectDenied = async (token: string | undefined) => {
			const answer = await watch(token)
			expect([answer.status, answer.code], token).toEqual([403, 'forbidden'])
			const params = { playbackId: film.playbackId }
			const query = { ...(token !== undefined && { token }) }
			const comment = { authorName: 'V', body: 'x' }
			const reaction = { emoji: '🔥' as const, sessionId: 'viewer-one' }
			for (const { status } of [
				await world.ask(listComments, { params, query }),
				await world.ask(createComment, { params, query, body: comment }),
				await world.ask(downloadVideo, { params, query }),
				await world.ask(downloadVideoAudio, { params, query }),
				await world.ask(getReactions, { params, query }),
				await world.ask(toggleReaction, { params, query, body: reaction }),
				await fetchAt(
					`https://edge.test/media/${film.playbackId}/${token ? `~${token}/` : ''}v1/master.m3u8`,
				),
			])
				expect(status, token).toBe(403)
		}
		for (const token of tokens) await expectDenied(token)
		expect((await watch(expiring)).status).toBe(200)
		world.pass(100_000)
		await expectDenied(expiring)
	})

	test('the URLs of a signed asset never contain an unverified token', async () => {
		const good = await mint()
		for (const token of [`${good}\r\nX-Injected: 1`, `${good}\r\n`, ` ${good}`, 'a/../b', '"><x>', 'é']) {
			expect([token, (await watch(token)).status]).toEqual([token, 403])
			const { ok, headers } = await watch(token, ada)
			expect(headers.get('x-injected')).toBe(null)
			for (const address of [ok.data.manifestUrl, ok.data.thumbnailUrl]) {
				expect(address).not.toContain(encodeURIComponent(token))
				expect((await fetchAt(address)).status, token).toBe(200)
			}
			expect(headers.get('link') ?? '').toMatch(/^[\x21-\x7e ]*$/)
		}
		expect((await watch(good, ada)).ok.data.manifestUrl).toContain(`~${good}/`)
	})

	test('a signed asset accepts comments and reactions with a playback token', async () => {
		const params = { playbackId: film.playbackId }
		const query = { token: await mint() }
		const body = { authorName: 'V', body: 'Hello' }
		expect((await world.ask(createComment, { params, query, body })).status).toBe(201)
		expect((await world.ask(listComments, { params, query })).ok.data).toHaveLength(1)
		const reaction = { emoji: '🔥' as const, sessionId: 'viewer-one' }
		expect((await world.ask(toggleReaction, { params, query, body: reaction })).status).toBe(200)
	})

	test('a signed asset serves its thumbnail only with a token for playback or thumbnails', async () => {
		const params = { playbackId: film.playbackId }
		const thumbnailStatus = async (token?: string) =>
			(await world.ask(getThumbnail, { params, query: { ...(token && { token }) } })).status
		expect([await thumbnailStatus(), await thumbnailStatus('x')]).toEqual([403, 403])
		expect([
			await thumbnailStatus(await mint({ audience: 't' })),
			await thumbnailStatus(await mint()),
		]).toEqual([200, 200])
	})

	test('a signed asset serves each resource only with tokens of the right audience', async () => {
		const other = await makeReady(world, ada, 'Other')
		const folder = `media/${film.playbackId}`
		const sheet = 'job_1/tsk_2-1/sheet.jpg'
		const names = 'job_1/storyboard.vtt'
		for (const path of [sheet, names, 'v1/720p/1.m4s']) await env.MEDIA.put(`${folder}/${path}`, 'x')
		const params = { playbackId: film.playbackId }
		const media = (path: string) => async (token: string) =>
			(await fetchAt(`https://edge.test/${folder}/~${token}/${path}`)).status
		const resources: Record<string, [statusWith: (token: string) => Promise<number>, audiences: string]> = {
			record: [async (token) => (await watch(token)).status, 'v'],
			manifest: [media('v1/master.m3u8'), 'v'],
			segment: [media('v1/720p/1.m4s'), 'v'],
			'storyboard sheet': [media(sheet), 'v s'],
			'storyboard names': [media(names), 'v s'],
			picture: [async (token) => (await world.ask(getThumbnail, { params, query: { token } })).status, 'v t'],
			comments: [async (token) => (await world.ask(listComments, { params, query: { token } })).status, 'v'],
			reactions: [async (token) => (await world.ask(getReactions, { params, query: { token } })).status, 'v'],
		}
		const expiring = await Promise.all(
			(['v', 't', 's'] as const).map((audience) => mint({ audience, expiresInSec: 60 })),
		)
		world.pass(100_000)
		const credentials: [string, string][] = [
			...(await Promise.all(
				(['v', 't', 's'] as const).map(
					async (audience): Promise<[string, string]> => [audience, await mint({ audience })],
				),
			)),
			...expiring.map((token): [string, string] => ['expired', token]),
			['of another asset', await mint({}, other.id)],
			['session', ada.token],
		]
		for (const [resource, [statusWith, audiences]] of Object.entries(resources))
			for (const [kind, token] of credentials)
				expect([resource, kind, await statusWith(token)]).toEqual([
					resource,
					kind,
					audiences.split(' ').includes(kind) ? 200 : 403,
				])
	})

	test('a signed asset rejects a revoked token for every resource', async () => {
		const folder = `media/${film.playbackId}`
		for (const path of ['job_1/storyboard.vtt', 'v1/720p/1.m4s', 'v1/p.webp'])
			await env.MEDIA.put(`${folder}/${path}`, 'x')
		const other = await makeReady(world, ada, 'Other')
		const visibility = 'signed' as const
		await world.ask(updateAsset, { params: { assetId: other.id }, body: { visibility } }, ada)
		const otherToken = await mint({}, other.id)
		const params = { playbackId: film.playbackId }
		const requestsWith = (token: string, address: string) => [
			() => watch(token),
			() => fetchAt(address),
			...['v1/720p/index.m3u8', 'v1/720p/1.m4s', 'job_1/storyboard.vtt', 'v1/p.webp'].map(
				(path) => () => fetchAt(`https://edge.test/${folder}/~${token}/${path}`),
			),
			() => world.ask(getThumbnail, { params, query: { token } }),
			() => world.ask(listComments, { params, query: { token } }),
			() => world.ask(getReactions, { params, query: { token } }),
		]
		const statuses = async (token: string, address: string) =>
			new Set(await Promise.all(requestsWith(token, address).map(async (send) => (await send()).status)))
		const before = await mint()
		const picture = await mint({ audience: 't' })
		// The URLs in the organization's own view of the asset carry a playback token too.
		const own = (await world.ask(getAssetPlayback, { params: { assetId: film.id } }, ada)).ok.data
		expect(await statuses(before, own.manifestUrl)).toEqual(new Set([200]))

		const revoked = await world.ask(revokePlaybackTokens, { params: { assetId: film.id } }, ada)
		expect(revoked.ok.data).toEqual({ id: film.id, revoked: true })
		expect(await statuses(before, own.manifestUrl)).toEqual(new Set([403]))
		expect((await world.ask(getThumbnail, { params, query: { token: picture } })).status).toBe(403)
		expect((await fetchAt(own.thumbnailUrl)).status).toBe(403)

		const after = await mint()
		const renewed = (await world.ask(getAssetPlayback, { params: { assetId: film.id } }, ada)).ok.data
		expect(await statuses(after, renewed.manifestUrl)).toEqual(new Set([200]))
		const otherPlayback = await world.ask(getPlayback, {
			params: { playbackId: other.playbackId },
			query: { token: otherToken },
		})
		expect(otherPlayback.status).toBe(200)
	})

	test('a signed asset accepts a revoked token for at most 60 seconds at another location', async () => {
		const token = await mint()
		expect((await watch(token)).status).toBe(200)
		// At another location nothing clears the cached row, so it must expire by itself.
		await world.deps((d) =>
			d.db.all('update assets set playback_token_version = playback_token_version + 1 returning id'),
		)
		const cached = await caches.default.match(
			`https://cache.playhouse.invalid/${playableCacheKey(film.playbackId)}`,
		)
		expect(cached?.headers.get('cache-control')).toBe('public, max-age=60')
		await deleteCachedPlayable(film.playbackId)
		expect((await watch(token)).status).toBe(403)
	})

	test('revoking playback tokens requires write access', async () => {
		const bo = await world.person()
		const params = { assetId: film.id }
		expect((await world.ask(revokePlaybackTokens, { params }, bo)).status).toBe(404)
		const reader = { params: { orgId: ada.orgId }, body: { name: 'r', scopes: ['read' as const] } }
		const { key } = (await world.ask(createApiKey, reader, ada)).ok.data
		expect((await world.ask(revokePlaybackTokens, { params }, { key })).status).toBe(403)
	})

	test('a signed asset plays for its organization, which gets working URLs', async () => {
		const bo = await world.person()
		const key = await world.ask(createApiKey, { params: { orgId: ada.orgId }, body: { name: 'k' } }, ada)
		expect((await watch(undefined, bo)).status).toBe(403)
		for (const who of [ada, { key: key.ok.data.key }])
			expect((await fetchAt((await watch(undefined, who)).ok.data.manifestUrl)).status).toBe(200)
		const own = await world.ask(getAssetPlayback, { params: { assetId: film.id } }, ada)
		const [listed] = (await world.ask(listAssets, { query: {} }, ada)).ok.data
		for (const url of [own.ok.data.manifestUrl, own.ok.data.thumbnailUrl, listed?.thumbnailUrl ?? ''])
			expect((await fetchAt(url)).status, url).toBe(200)
	})

	test.each(['headless:auth', 'members:write'] as const)(
		'a key with %s alone does not play a signed asset of its organization',
		async (scope) => {
			const body = { name: 'k', scopes: [scope] }
			const { key } = (await world.ask(createApiKey, { params: { orgId: ada.orgId }, body }, ada)).ok.data
			expect((await watch(undefined, { key })).status).toBe(403)
		},
	)

	test('a signed asset returns 501 without AUTH_SECRET', async () => {
		await setVisibility('public')
		const body = { name: 'w', scopes: ['write' as const] }
		const key = await world.ask(createApiKey, { params: { orgId: ada.orgId }, body }, ada)
		world.set({ AUTH_SECRET: '' })
		const who = { key: key.ok.data.key }
		const params = { assetId: film.id }
		const signed = await world.ask(updateAsset, { params, body: { visibility: 'signed' } }, who)
		expect(signed.status).toBe(501)
		expect((await world.ask(createPlaybackToken, { params, body: {} }, who)).status).toBe(501)
	})

	test('playback tokens are valid for a minute to a week, and only for the organization to issue', async () => {
		const bo = await world.person()
		const params = { assetId: film.id }
		expect((await world.ask(createPlaybackToken, { params, body: {} }, bo)).status).toBe(404)
		for (const expiresInSec of [59, 604_801, 1.5, '60'])
			expect(
				(
					await world.ask(
						createPlaybackToken,
						{ params, body: { expiresInSec: expiresInSec as number } },
						ada,
					)
				).status,
			).toBe(400)
	})
})
