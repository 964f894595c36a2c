import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import {
	createAsset,
	createPlaybackToken,
	deleteAsset,
	restoreAsset,
	setThumbnail,
	updateAsset,
} from '#schema/contract/video/assets.ts'
import { changeAssets } from '#schema/contract/video/bulk.ts'
import { createCollection } from '#schema/contract/video/collections.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { wholePng } from '../../../support/shared/whole-pictures.ts'
import { select } from '../../community/community.ts'
import { makeReady } from '../playback/ready-asset.ts'

const MASTER = '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=500000,CODECS="avc1.640028"\n360p/index.m3u8\n'

let world: World
let ada: Person
let film: { id: string; playbackId: string }
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	film = await makeReady(world, ada, 'Film', { width: 1_280, height: 720 })
	await env.MEDIA.put(`media/${film.playbackId}/v1/master.m3u8`, MASTER)
})

const change = (body: {
	title?: string
	description?: string
	visibility?: 'public' | 'unlisted' | 'signed'
}) => world.ask(updateAsset, { params: { assetId: film.id }, body }, ada)

async function open(query = '', { origin = 'https://edge.test', id = film.playbackId, kind = 'watch' } = {}) {
	const response = await world.fetch(new Request(`${origin}/${kind}/${id}${query}`))
	return { response, status: response.status, text: await response.text() }
}

const contentOf = (text: string, name: string) =>
	new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)">`).exec(text)?.[1]
const linkOf = (text: string, rel: string) =>
	new RegExp(`<link rel="${rel}"[^>]* href="([^"]*)"`).exec(text)?.[1]?.replaceAll('&amp;', '&')
const dataOf = (text: string): Record<string, string> | null => {
	const [, json] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(text) ?? []
	return json === undefined ? null : JSON.parse(json)
}

describe('/watch/:playbackId', () => {
	test('/watch/:playbackId shows the player, the title and the description as text', async () => {
		await change({ title: 'A <b>bold</b> "film"', description: 'First & second\nline <script>x</script>' })
		const { status, text, response } = await open()
		expect(status).toBe(200)
		expect(text).toContain('<h1 dir="auto">A &lt;b&gt;bold&lt;/b&gt; &quot;film&quot;</h1>')
		expect(text).toContain(
			'<p class="description" dir="auto">First &amp; second\nline &lt;script&gt;x&lt;/script&gt;</p>',
		)
		expect(text).toContain('id="player"')
		expect(response.headers.get('content-security-policy')).toMatch(/script-src 'self'; style-src 'nonce-/)
	})

	test('the watch page has no robots tag for a public video, and noindex for an unlisted or signed one', async () => {
		expect(contentOf((await open()).text, 'robots')).toBeUndefined()
		await change({ visibility: 'unlisted' })
		expect(contentOf((await open()).text, 'robots')).toBe('noindex')
		await change({ visibility: 'signed' })
		const { token } = (await world.ask(createPlaybackToken, { params: { assetId: film.id } }, ada)).ok.data
		expect(contentOf((await open(`?token=${token}`)).text, 'robots')).toBe('noindex')
	})

	test('the watch page keeps a preview in its links to chapters, and in no link for others', {
		tags: 'd1',
	}, async () => {
		film = await makeReady(world, ada, 'Film', { durationSec: 60 })
		await change({ description: '0:00 Welcome\n0:05 How it works\n0:10 Questions' })
		const { text } = await open('?preview&color=ff0000')
		expect(text).toContain('href="?color=ff0000&amp;preview=1&amp;t=5"')
		const { share, start } = JSON.parse(
			/<script[^>]* id="player-page"[^>]*>(.*?)<\/script>/.exec(text)?.[1] ?? '',
		)
		expect(start.preview).toBe(true)
		expect(share.embedSnippet).toContain('color=ff0000')
		expect(JSON.stringify(share)).not.toContain('preview')
		expect(linkOf(text, 'alternate')).not.toContain('preview')
		expect((await open('?preview=0')).text).not.toContain('preview=1')
	})

	test('the watch page never repeats the token of a signed video in its tags', async () => {
		await change({ visibility: 'signed', description: 'Secret' })
		await world.ask(setThumbnail, { params: { assetId: film.id } }, { token: ada.token, bytes: wholePng })
		const { token } = (await world.ask(createPlaybackToken, { params: { assetId: film.id } }, ada)).ok.data
		const { status, text } = await open(`?token=${token}&t=5`)
		expect(status).toBe(200)
		const head = text.slice(0, text.indexOf('<style'))
		expect(head).not.toContain(token)
		expect(head).toContain(`<link rel="canonical" href="https://edge.test/watch/${film.playbackId}">`)
		for (const name of ['og:image', 'og:video:url', 'twitter:player'])
			expect(contentOf(text, name), name).toBeUndefined()
		expect(dataOf(text)).toBeNull()
		expect(linkOf(text, 'alternate')).toBeUndefined()
	})

	test('the watch page describes the video with its creation date, and links to its oEmbed response', async () => {
		const { text } = await open('?t=1m3s&title=x&utm_source=mail')
		expect(dataOf(text)).toMatchObject({
			'@type': 'VideoObject',
			uploadDate: expect.stringMatching(/^2037-11-21T12:00:00\.\d{3}Z$/),
			duration: 'PT13S',
			contentUrl: `https://edge.test/media/${film.playbackId}/v1/master.m3u8`,
		})
		const url = new URL(linkOf(text, 'alternate') ?? '')
		expect(url.searchParams.get('url')).toBe(`https://edge.test/watch/${film.playbackId}?title=x&t=1m3s`)
		expect((await world.fetch(new Request(url))).status).toBe(200)
	})

	test('the watch page names its thumbnail with the size of the image', { tags: 'd1' }, async () => {
		expect(contentOf((await open()).text, 'og:image')).toBeUndefined()
		await world.ask(setThumbnail, { params: { assetId: film.id } }, { token: ada.token, bytes: wholePng })
		const { text } = await open()
		const image = contentOf(text, 'og:image')?.replaceAll('&amp;', '&') ?? ''
		expect((await world.fetch(new Request(image))).headers.get('content-type')).toBe('image/png')
		expect([contentOf(text, 'og:image:width'), contentOf(text, 'og:image:height')]).toEqual(['2', '3'])
		expect(dataOf(text)?.thumbnailUrl).toBe(image)
		// From the cache, as the image never changes.
		const again = await open()
		expect(contentOf(again.text, 'og:image:width')).toBe('2')
	})

	test('the watch page returns 404 for unknown ids, 403 without the token, and noindex for both', async () => {
		for (const id of ['x'.repeat(22), 'x', '%00'])
			expect([(await open('', { id })).status, contentOf((await open('', { id })).text, 'robots')]).toEqual([
				404,
				'noindex',
			])
		await change({ visibility: 'signed', title: 'Secret film' })
		const { status, text } = await open()
		expect([status, contentOf(text, 'robots')]).toEqual([403, 'noindex'])
		expect(text).not.toContain('Secret film')
		expect(text.includes('property="og:')).toBe(false)
	})

	test('the watch page allows only GET and HEAD', async () => {
		const url = `https://edge.test/watch/${film.playbackId}`
		const posted = await world.fetch(new Request(url, { method: 'POST' }))
		expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
		const head = await world.fetch(new Request(url, { method: 'HEAD' }))
		expect([head.status, await head.text()]).toEqual([200, ''])
	})

	test('the watch page lists the other public videos of the collection with their posters, newest first', async () => {
		const { id: collectionId } = (
			await world.ask(createCollection, { body: { name: 'Films', color: 'blue' } }, ada)
		).ok.data
		const put = async (title: string, visibility: 'public' | 'unlisted' | 'signed') => {
			const made = await makeReady(world, ada, title, { durationSec: 65 })
			await world.ask(updateAsset, { params: { assetId: made.id }, body: { visibility, collectionId } }, ada)
			return made
		}
		expect((await open()).text).not.toContain('class="others"')
		await world.ask(updateAsset, { params: { assetId: film.id }, body: { collectionId } }, ada)
		await put('Unlisted', 'unlisted')
		await put('Signed', 'signed')
		const first = await put('First <b>', 'public')
		world.pass(1_000)
		const second = await put('Second', 'public')
		const unready = (await world.ask(createAsset, { body: { title: 'Unready' } }, ada)).ok.data
		const change = { visibility: 'public' as const, collectionId }
		await world.ask(updateAsset, { params: { assetId: unready.id }, body: change }, ada)
		const { text } = await open()
		const links = [...text.matchAll(/<a href="(\/watch\/\w+)">.*?src="([^"]+)".*?1:05.*?<bdi>(.*?)<\/bdi>/g)]
		expect(links.map(([, ...parts]) => parts)).toEqual([
			[`/watch/${second.playbackId}`, expect.stringContaining(second.playbackId), 'Second'],
			[`/watch/${first.playbackId}`, expect.stringContaining(first.playbackId), 'First &lt;b&gt;'],
		])
		expect((await open('', { id: second.playbackId })).text).not.toContain('<bdi>Second')
		world.statements.length = 0
		await open()
		expect(world.statements).toEqual([])
	})

	test('the watch page no longer lists a video of its collection that became unlisted, moved to the trash or was deleted', async () => {
		const body = { name: 'Films', color: 'blue' as const }
		const { id: collectionId } = (await world.ask(createCollection, { body }, ada)).ok.data
		await world.ask(updateAsset, { params: { assetId: film.id }, body: { collectionId } }, ada)
		const add = async (title: string) => {
			const { id } = await makeReady(world, ada, title)
			await world.ask(updateAsset, { params: { assetId: id }, body: { collectionId } }, ada)
			return id
		}
		const [one, two, three, four] = [
			await add('One'),
			await add('Two'),
			await add('Three'),
			await add('Four'),
		]
		const list = async () =>
			[...(await open()).text.matchAll(/<bdi>(One|Two|Three|Four)<\/bdi>/g)]
				.map(([, title]) => title)
				.toSorted()
		expect(await list()).toEqual(['Four', 'One', 'Three', 'Two'])
		await world.ask(updateAsset, { params: { assetId: one }, body: { visibility: 'unlisted' } }, ada)
		expect(await list()).toEqual(['Four', 'Three', 'Two'])
		await world.ask(deleteAsset, { params: { assetId: two }, query: { trash: 'true' } }, ada)
		expect(await list()).toEqual(['Four', 'Three'])
		await world.ask(deleteAsset, { params: { assetId: three } }, ada)
		expect(await list()).toEqual(['Four'])
		const action = { type: 'setVisibility' as const, visibility: 'unlisted' as const }
		await world.ask(changeAssets, { body: { assetIds: [four], action } }, ada)
		expect(await list()).toEqual([])
		await world.ask(restoreAsset, { params: { assetId: two } }, ada)
		expect(await list()).toEqual(['Two'])
	})

	test('the watch page lists at most eight other videos, from the newest 100 assets of the collection', async () => {
		const body = { name: 'Films', color: 'blue' as const }
		const { id: collectionId } = (await world.ask(createCollection, { body }, ada)).ok.data
		await world.ask(updateAsset, { params: { assetId: film.id }, body: { collectionId } }, ada)
		const columns = Object.keys(
			(await select<Record<string, unknown>>(world, 'select * from assets'))[0] ?? {},
		)
		const copy = async (visibility: string, count: number, from: number) => {
			const values: Record<string, string> = {
				id: `id || ${from} || '_' || i`,
				playback_id: `playback_id || ${from} || '_' || i`,
				title: "'Copy'",
				visibility: `'${visibility}'`,
				created_at: `created_at + ${from} + i`,
			}
			await select(
				world,
				`insert into assets with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
				select ${columns.map((name) => values[name] ?? name).join()} from assets, n where id = '${film.id}' returning 1`,
			)
		}
		const list = async () => {
			// The update deletes the cached list.
			await world.ask(updateAsset, { params: { assetId: film.id }, body: { collectionId } }, ada)
			return [...(await open()).text.matchAll(/<bdi>Copy<\/bdi>/g)].length
		}
		await copy('public', 9, 0)
		expect(await list()).toBe(8)
		await copy('unlisted', 99, 100)
		expect(await list()).toBe(1)
		await copy('unlisted', 1, 300)
		expect(await list()).toBe(0)
	})

	test('the watch page lists other videos by one statement, which examines at most 100 assets of a collection', async () => {
		const { id: collectionId } = (
			await world.ask(createCollection, { body: { name: 'Films', color: 'blue' } }, ada)
		).ok.data
		await world.ask(updateAsset, { params: { assetId: film.id }, body: { collectionId } }, ada)
		world.statements.length = 0
		await open()
		const listing = world.statements.filter((sql) => sql.includes('collection_id" = ?'))
		expect(listing).toHaveLength(1)
		expect(listing[0]).toMatch(/limit \?\) "newest"/)
	})

	test('the watch page costs no SQL for a popular video', async () => {
		await open()
		world.statements.length = 0
		expect((await open()).status).toBe(200)
		expect(world.statements).toEqual([])
	})
})

describe('PLAYER_URL', () => {
	test('PLAYER_URL is the base of all links in tags, whatever the host of the request', async () => {
		world.set({ PLAYER_URL: 'https://watch.example.org/', PUBLIC_URL: 'https://api.example.org' })
		for (const origin of ['https://edge.test', 'https://watch.example.org']) {
			const { text } = await open('', { origin })
			expect(linkOf(text, 'canonical')).toBe(`https://watch.example.org/watch/${film.playbackId}`)
			expect(contentOf(text, 'og:video:url')).toBe(`https://watch.example.org/embed/${film.playbackId}`)
			expect(linkOf(text, 'alternate')).toMatch(/^https:\/\/watch\.example\.org\/oembed\?/)
		}
	})

	test('PLAYER_URL defaults to PUBLIC_URL, and else to the address of the request', async () => {
		const canonical = async () => linkOf((await open('', { origin: 'https://two.test' })).text, 'canonical')
		expect(await canonical()).toBe(`https://two.test/watch/${film.playbackId}`)
		world.set({ PUBLIC_URL: 'https://api.example.org' })
		expect(await canonical()).toBe(`https://api.example.org/watch/${film.playbackId}`)
	})
})

test('an embed page is indexed only as a part of the embedding page', async () => {
	const { status, text } = await open('', { kind: 'embed' })
	expect([status, contentOf(text, 'robots')]).toEqual([200, 'noindex, indexifembedded'])
	expect(text.includes('property="og:')).toBe(false)
})
