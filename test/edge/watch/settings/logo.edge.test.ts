import { beforeEach, describe, expect, test } from 'vitest'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import { deleteLogo, getLogo, MAX_LOGO_BYTES, setLogo } from '#schema/contract/watch/settings/logo.ts'
import { getSettings, updateSettings } from '#schema/contract/watch/settings/settings.ts'
import { HOUR, MINUTE } from '../../../../edge/platform/clock.ts'
import { cleanImage } from '../../../../edge/platform/images/clean-image.ts'
import { setLogo as storeLogo } from '../../../../edge/watch/settings/logo.ts'
import { settingsStore } from '../../../../edge/watch/settings/store.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { makePng } from '../../../support/shared/pictures.ts'
import { pngChunk, pngWith, wholeJpg, wholePng, wholeWebp } from '../../../support/shared/whole-pictures.ts'
import { makeReady } from '../playback/ready-asset.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const upload = (bytes: BodyInit = wholePng, who: Person = ada) => world.ask(setLogo, {}, { ...who, bytes })
const set = async (bytes?: BodyInit) => (await upload(bytes)).ok.data.logoUrl as string
const current = async (who: Person = ada) => (await world.ask(getSettings, {}, who)).ok.data.logoUrl
const show = (url: string, headers: Record<string, string> = {}) =>
	world.ask(getLogo, { params: { logoFile: url.split('/').at(-1) ?? '' } }, { headers })
const stored = async () => (await world.bindings.MEDIA.list()).objects.map(({ key }) => key)
const purges = () => world.deps(({ db }) => db.all('select * from storage_purges'))
/** Lets the sweep send what is due, and delivers it. */
const sweep = async (afterMs: number) => {
	world.pass(afterMs)
	await world.cron('* * * * *')
	await world.deliver()
}

describe('a logo', () => {
	test.each<[type: string, bytes: Uint8Array<ArrayBuffer>]>([
		['image/png', wholePng],
		['image/jpeg', wholeJpg],
		['image/webp', wholeWebp],
	])('a logo of the type %s is stored and served to any page, immutable', async (type, bytes) => {
		const url = await set(bytes)
		expect(url).toMatch(/^https:\/\/edge\.test\/v1\/settings\/logo\/[0-9A-Za-z]{22}\.\w+$/)
		expect(await current()).toBe(url)
		const shown = await show(url, { origin: 'https://elsewhere.example' })
		expect(shown.statements).toHaveLength(1)
		expect((await world.plan(shown.statements[0] ?? '')).join()).toContain('orgs_suspended_logo')
		expect((await show(url)).statements).toEqual([])
		expect(Object.fromEntries(shown.headers)).toMatchObject({
			'content-type': type,
			'content-length': String(bytes.byteLength),
			'cache-control': 'public, max-age=31536000, immutable',
			'x-content-type-options': 'nosniff',
			'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
			'access-control-allow-origin': '*',
		})
		const etag = shown.headers.get('etag') ?? ''
		expect((await show(url, { 'if-none-match': etag })).status).toBe(304)
		expect(await purges()).toEqual([])
	})

	test('a logo appears in playback records, which name no id of the organization', async () => {
		const url = await set()
		const { playbackId } = await makeReady(world, ada)
		const { ok, text, statements } = await world.ask(getPlayback, { params: { playbackId } })
		expect([ok.data.settings.logoUrl, statements.length]).toEqual([url, 1])
		expect(text).not.toContain(ada.orgId)
	})

	test('a logo belongs to one organization', async () => {
		const bob = await world.person()
		const url = await set()
		expect(await current(bob)).toBeNull()
		await world.ask(deleteLogo, {}, bob)
		await upload(wholeJpg, bob)
		expect([await current(), (await show(url)).status]).toEqual([url, 200])
	})

	test.each<[what: string, bytes: BodyInit, status: number, message: RegExp]>([
		[
			'an SVG',
			'<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>',
			400,
			/^SVG images can contain scripts/,
		],
		['HTML that is called a PNG', '<!doctype html><script>1</script>', 400, /not a JPEG, PNG or WebP/],
		['a GIF', 'GIF89a', 400, /not a JPEG, PNG or WebP/],
		['an AVIF', '\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf', 400, /not a JPEG, PNG or WebP/],
		['no bytes', '', 400, /empty/],
		['5 MB and a byte', new Uint8Array(MAX_LOGO_BYTES + 1), 413, /larger than 5242880 bytes/],
		['a truncated PNG', wholePng.slice(0, -9), 400, /damaged/],
		['too many pixels', makePng(20_000, 10), 400, /20000 × 10 pixels/],
	])('a logo can’t be %s', async (_, bytes, status, message) => {
		const url = await set()
		const answer = await upload(bytes)
		expect([answer.status, answer.error]).toEqual([status, expect.stringMatching(message)])
		expect([await current(), await stored()]).toEqual([url, [expect.any(String)]])
	})

	test('a logo may have exactly 5 MB', { tags: 'd1' }, async () => {
		const filler = MAX_LOGO_BYTES - wholePng.byteLength
		const png = Uint8Array.from([...wholePng, ...new Uint8Array(filler)])
		expect([png.byteLength, (await upload(png)).status]).toEqual([MAX_LOGO_BYTES, 200])
	})

	test.each<[what: string, bytes: Uint8Array<ArrayBuffer>]>([
		['a script in a text', pngWith([pngChunk('tEXt', 'Comment\0<script>alert(1)</script>')])],
		['a page behind the image', pngWith([], '<html><script>alert(1)</script></html>')],
	])('a logo loses %s', async (_, bytes) => {
		await set(bytes)
		const [key = ''] = await stored()
		const object = await world.bindings.MEDIA.get(key)
		const text = new TextDecoder('latin1').decode(await object?.arrayBuffer())
		expect(text).not.toMatch(/script|html/)
	})

	test('a replaced logo is deleted when no cached record refers to it any more', async () => {
		const [first, second] = [await set(), await set(wholeJpg)]
		await sweep(MINUTE)
		expect([(await show(first)).status, (await show(second)).status]).toEqual([200, 200])
		await sweep(5 * MINUTE)
		expect([(await show(first)).status, (await show(second)).status]).toEqual([404, 200])
		await sweep(25 * HOUR)
		expect([await stored(), await purges()]).toEqual([[expect.stringMatching(/\.jpg$/)], []])
	})

	test('concurrent uploads of a logo leave one of them', async () => {
		const urls = await Promise.all(Array.from({ length: 6 }, () => set()))
		const left = (await current()) ?? ''
		expect(urls).toContain(left)
		await sweep(6 * MINUTE)
		expect(await stored()).toEqual([expect.stringContaining(left.split('/').at(-1) ?? '')])
	})

	test.each<[string, () => Promise<{ status: number }>]>([
		['DELETE', () => world.ask(deleteLogo, {}, ada)],
		['PATCH', () => world.ask(updateSettings, { body: { logoUrl: null } }, ada)],
	])('a logo is removed by %s, any number of times', async (_, remove) => {
		const url = await set()
		for (let i = 0; i < 2; i++) expect((await remove()).status).toBe(200)
		await world.deliver()
		expect([await current(), (await show(url)).status, await stored()]).toEqual([null, 404, []])
	})

	test('changing the logo needs the right to change settings', async () => {
		expect((await world.ask(setLogo, {}, { bytes: wholePng })).status).toBe(401)
		await world.deps(({ db }) => db.all("update org_members set role = 'member' returning 1"))
		expect([(await upload()).status, (await world.ask(deleteLogo, {}, ada)).status]).toEqual([403, 403])
		expect(await stored()).toEqual([])
	})
})

describe('an upload of a logo that dies', () => {
	const image = () => {
		const cleaned = cleanImage(wholePng)
		if ('problem' in cleaned) throw new Error(cleaned.problem)
		return cleaned
	}

	test('a logo upload that dies before its row changed leaves the old logo, and its object is deleted', async () => {
		const url = await set()
		await world.deps(async ({ db, now, objects }) => {
			const key = `logos/${'x'.repeat(22)}.png`
			await settingsStore(db).announceLogo(ada.orgId, key, now + HOUR)
			await objects.media.put(key, wholePng)
		})
		expect(await stored()).toHaveLength(2)
		await sweep(HOUR + MINUTE)
		expect([await current(), (await show(url)).status, (await stored()).length]).toEqual([url, 200, 1])
	})

	test('a logo upload that outlasted its announcement stores nothing', async () => {
		const url = await set()
		const late = world.deps(async (deps) => {
			const { media } = deps.objects
			const put: typeof media.put = async (key, ...rest) => {
				const head = await media.put(key, ...rest)
				await deps.db.all('update storage_purges set last_due_at = 0 returning 1')
				return head
			}
			const objects = { ...deps.objects, media: { ...media, put } }
			return storeLogo(Object.create(deps, { objects: { value: objects } }), ada.orgId, image())
		})
		await expect(late).rejects.toThrow('the upload expired')
		expect([await current(), (await stored()).length, await purges()]).toEqual([url, 1, []])
	})

	test('a logo upload for a deleted organization stores nothing', async () => {
		await world.deps(({ db }) => db.all(`delete from orgs where id = '${ada.orgId}' returning 1`))
		await expect(world.deps((deps) => storeLogo(deps, ada.orgId, image()))).rejects.toThrow(
			'no such organization',
		)
		expect([await stored(), await purges()]).toEqual([[], []])
	})
})
