import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { suspendOrg, unsuspendOrg } from '#schema/contract/accounts/suspension.ts'
import { deleteAsset, updateAsset } from '#schema/contract/video/assets.ts'
import { updateSettings } from '#schema/contract/watch/settings/settings.ts'
import { assets } from '#schema/tables/video/assets.ts'
import { publicVideosCacheKey } from '../../../../edge/video/assets/playable/playable.ts'
import { listPublicVideos } from '../../../../edge/video/assets/playable/public-videos.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { makeReady } from '../../watch/playback/ready-asset.ts'

let world: World
/** The first person is a superadmin. */
let root: Person
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	root = await world.person()
	ada = await world.person()
})

const open = async (origin = 'https://edge.test') => {
	world.statements.length = 0
	const response = await world.fetch(new Request(`${origin}/`))
	return { response, text: await response.text(), statements: world.statements.length }
}

const titlesOn = (text: string): (string | undefined)[] =>
	[...text.matchAll(/<span class="title" dir="auto">(.*?)<\/span>/g)].map(([, title]) => title)

/** The titles that another location shows, which has nothing in its cache. */
const currentTitles = async (): Promise<(string | undefined)[]> => {
	await caches.default.delete(`https://cache.playhouse.invalid/${publicVideosCacheKey}`)
	return titlesOn((await open()).text)
}

const change = (
	{ id }: { id: string },
	body: { visibility?: 'public' | 'unlisted' | 'signed'; title?: string },
) => world.ask(updateAsset, { params: { assetId: id }, body }, ada)

describe('the start page', () => {
	test('lists the newest public videos with poster, escaped title, length and a link, in production too', {
		tags: 'd1',
	}, async () => {
		const { playbackId } = await makeReady(world, ada, 'A <b>"film"</b> & more', { durationSec: 3_725 })
		await makeReady(world, root, 'Newer film')
		world.set({ ENVIRONMENT: 'production' })
		const { response, text } = await open()
		expect(titlesOn(text)).toEqual(['Newer film', 'A &lt;b&gt;&quot;film&quot;&lt;/b&gt; &amp; more'])
		expect(text).toContain(`<a href="https://edge.test/watch/${playbackId}">`)
		expect(text).toContain(`<img src="/v1/playback/${playbackId}/thumbnail" alt=""`)
		expect(text).toContain('<span class="hidden">Length 1:02:05</span>')
		expect(response.headers.get('cache-control')).toBe('private, no-cache')
		expect(text).not.toContain('/reference')
	})

	test('the start page lists no unlisted or signed video, and shows a change of visibility at once', async () => {
		const film = await makeReady(world, ada, 'Film')
		expect(titlesOn((await open()).text)).toEqual(['Film'])
		for (const visibility of ['unlisted', 'signed'] as const) {
			await change(film, { visibility })
			expect([visibility, titlesOn((await open()).text)]).toEqual([visibility, []])
		}
		await change(film, { visibility: 'public', title: 'Renamed' })
		expect(titlesOn((await open()).text)).toEqual(['Renamed'])
	})

	test('lists a video only while it is ready and has a manifest', async () => {
		const { id } = await makeReady(world, ada, 'Film')
		const set = (values: Partial<typeof assets.$inferInsert>) =>
			world.deps(({ db }) => db.update(assets).set(values).where(eq(assets.id, id)))
		for (const status of ['created', 'uploaded', 'queued', 'processing', 'error'] as const) {
			await set({ status })
			expect([status, await currentTitles()]).toEqual([status, []])
		}
		await set({ status: 'ready' })
		expect(await currentTitles()).toEqual(['Film'])
		await set({ manifestKey: null })
		expect(await currentTitles()).toEqual([])
	})

	test('lists no deleted video, and none of an organization that is suspended', async () => {
		const film = await makeReady(world, ada, 'Film')
		await makeReady(world, ada, 'Other')
		expect(titlesOn((await open()).text)).toEqual(['Other', 'Film'])
		await world.ask(deleteAsset, { params: { assetId: film.id } }, ada)
		expect(titlesOn((await open()).text)).toEqual(['Other'])
		await world.ask(suspendOrg, { params: { orgId: ada.orgId }, body: { reason: 'abuse' } }, root)
		expect(titlesOn((await open()).text)).toEqual([])
		await world.ask(unsuspendOrg, { params: { orgId: ada.orgId }, body: { reason: 'abuse' } }, root)
		expect(titlesOn((await open()).text)).toEqual(['Other'])
	})

	test('lists no video of an organization that names where its videos may be embedded', async () => {
		await makeReady(world, ada, 'Film')
		const allow = (allowedEmbedDomains: string[]) =>
			world.ask(updateSettings, { body: { allowedEmbedDomains } }, ada)
		expect(titlesOn((await open()).text)).toEqual(['Film'])
		await allow(['example.org'])
		expect(titlesOn((await open()).text)).toEqual([])
		await allow([])
		expect(titlesOn((await open()).text)).toEqual(['Film'])
	})

	test('shows no videos with LANDING_VIDEOS=false, and none on the host of a community', {
		tags: 'd1',
	}, async () => {
		await makeReady(world, ada, 'Film')
		world.set({ COMMUNITY_BASE_DOMAIN: 'community.test' })
		expect(titlesOn((await open('https://edge.test')).text)).toEqual(['Film'])
		expect((await open('https://club.community.test')).text).not.toContain('Latest videos')
		world.set({ PUBLIC_URL: 'https://video.test' })
		expect(titlesOn((await open('http://video.test')).text)).toEqual(['Film'])
		expect((await open('https://club.example')).text).not.toContain('Latest videos')
		expect(titlesOn((await open('http://localhost:8787')).text)).toEqual(['Film'])
		world.set({ PUBLIC_URL: undefined, FRONTEND_URL: 'http://127.0.0.1:8787' })
		expect(titlesOn((await open('http://localhost:8787')).text)).toEqual(['Film'])
		world.set({ FRONTEND_URL: undefined, LANDING_VIDEOS: 'false' })
		const { text, statements } = await open()
		expect([titlesOn(text), statements]).toEqual([[], 0])
		expect(text).not.toContain('No videos yet')
		expect(text).toContain('href="/security"')
	})

	test('names the next step while there are no videos', async () => {
		expect((await open()).text).toContain('The first lines of <code>npm start</code> name a command')
		world.set({ ENVIRONMENT: 'production' })
		const { text } = await open()
		expect(text).toContain('No videos yet')
		expect(text).not.toContain('npm run')
	})

	test('shows twelve of many videos by one statement, and answers the next request without SQL', {
		tags: 'd1',
	}, async () => {
		for (let at = 1; at <= 14; at++) await makeReady(world, ada, `Film ${at}`)
		const first = await open()
		expect(titlesOn(first.text)).toEqual(Array.from({ length: 12 }, (_, at) => `Film ${14 - at}`))
		expect([first.statements, (await open()).statements]).toEqual([1, 0])
		expect((await world.perform(listPublicVideos)).length).toBe(12)
	})

	test('finds its videos through the index of public ones, however many others are stored', async () => {
		await open()
		const [sql = ''] = world.statements
		expect(await world.plan(sql)).toEqual([
			'SCAN assets USING INDEX assets_public',
			expect.stringMatching(/^SEARCH orgs USING INDEX/),
		])
	})
})
