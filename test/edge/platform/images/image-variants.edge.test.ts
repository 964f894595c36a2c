/** @module-tag d1 */
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { setAvatar } from '#schema/contract/community/member/avatars.ts'
import { addPostImage, deleteImage } from '#schema/contract/community/member/images.ts'
import { createAsset, listAssets, resetThumbnail, setThumbnail } from '#schema/contract/video/assets.ts'
import { readImageSize } from '../../../../edge/platform/images/image-type.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { webpCanvas, webpFile, webpFrame, wholePng } from '../../../support/shared/whole-pictures.ts'
import { type Community, openCommunity } from '../../community/community.ts'

let world: World
let community: Community
let ada: Awaited<ReturnType<Community['member']>>
let postId: number
/** The names of operations on both buckets. */
let operations: string[]
const set = (bindings: Record<string, unknown>) =>
	(world.set as (bindings: Record<string, unknown>) => void)(bindings)
const { IMAGES } = env as unknown as { IMAGES: ImagesBinding }
const original = { MEDIA: env.MEDIA, VAULT: env.VAULT, IMAGES }

beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
	ada = await community.member()
	postId = await community.post(await community.space(), { author_id: ada.userId })
	operations = []
	set({ MEDIA: record(env.MEDIA), VAULT: record(env.VAULT) })
})
afterEach(() => set(original))

const record = (bucket: R2Bucket) =>
	new Proxy(bucket, {
		get(target, name: keyof R2Bucket) {
			const value = target[name]
			if (typeof value !== 'function') return value
			return (...args: unknown[]) => {
				operations.push(name)
				return (value as (...args: unknown[]) => unknown).apply(target, args)
			}
		},
	})

/** Makes a PNG with the Images binding of the local runtime. */
async function makePng(width: number): Promise<Uint8Array<ArrayBuffer>> {
	const { body } = new Response(wholePng)
	if (!body) throw new Error('no body')
	const made = await IMAGES.input(body)
		.transform({ width, height: width / 2, fit: 'squeeze' })
		.output({ format: 'image/png' })
	return new Uint8Array(await made.response().arrayBuffer())
}

const add = async (bytes: BodyInit) =>
	(await world.ask(addPostImage, { params: { postId: String(postId) } }, { ...ada, bytes })).ok
/** Adds an image, and returns its address with the key of its object. */
async function addWithKey(bytes: BodyInit) {
	const before = await storedKeys(env.VAULT)
	const { url } = await add(bytes)
	const [key = ''] = (await storedKeys(env.VAULT)).filter((stored) => !before.includes(stored))
	return { url, key }
}
async function open(url: string, init: RequestInit = {}) {
	operations.length = 0
	const response = await world.fetch(new Request(url, init))
	const bytes = new Uint8Array(await response.arrayBuffer())
	return { response, bytes, size: readImageSize(bytes), operations: operations.join() }
}
const storedKeys = async (bucket: R2Bucket) => (await bucket.list()).objects.map(({ key }) => key)

test('a variant is made once as WebP, then served with one read under the rules of the original', async () => {
	const { url, id } = await add(await makePng(800))
	const first = await open(`${url}&w=320`)
	expect([first.size, first.operations]).toEqual([{ width: 320, height: 160 }, 'get,get,put,head'])
	const later = await open(`${url}&w=320`)
	expect([later.size, later.operations]).toEqual([first.size, 'get'])
	for (const { response } of [first, later])
		expect(
			['content-type', 'etag', 'cross-origin-resource-policy'].map((name) => response.headers.get(name)),
		).toEqual(['image/webp', first.response.headers.get('etag'), 'cross-origin'])
	expect(later.response.headers.get('cache-control')).toMatch(/^private, max-age=\d+, immutable$/)
	expect((await open(url)).size).toEqual({ width: 800, height: 400 })
	expect((await open(`${url}&w=500`)).response.status).toBe(400)
	await world.ask(deleteImage, { params: { imageId: String(id) } }, ada)
	expect((await open(`${url}&w=320`)).response.status).toBe(404)
	expect(await storedKeys(env.VAULT)).toEqual([])
})

test('a small, an animated and an unreadable image are returned as they are, and store no variant', async () => {
	const small = await makePng(320)
	const animated = webpFile([webpCanvas(2), webpFrame()])
	const damaged = (await makePng(800)).map((byte, at) => (at > 60 ? 0 : byte))
	for (const bytes of [small, animated]) {
		const { url } = await add(bytes)
		const found = await open(`${url}&w=320`)
		expect(found.bytes).toEqual(bytes)
	}
	const { url, key } = await addWithKey(small)
	await env.VAULT.put(key, damaged)
	const unchanged = await open(`${url}&w=320`)
	expect([unchanged.response.status, unchanged.bytes]).toEqual([200, damaged])
	expect((await storedKeys(env.VAULT)).filter((stored) => stored.includes('.w320.'))).toEqual([])
})

test('an image of up to 12 MiB gets a variant, and a larger one is returned as it is', async () => {
	const limit = 12 * 1024 ** 2
	const bytes = await makePng(800)
	const widths: unknown[] = []
	for (const length of [limit, limit + 1]) {
		const { url, key } = await addWithKey(bytes)
		const padded = new Uint8Array(length)
		padded.set(bytes)
		await env.VAULT.put(key, padded)
		const found = await open(`${url}&w=320`)
		widths.push(found.size?.width, found.operations, found.bytes.length === length)
	}
	expect(widths).toEqual([320, 'get,get,put,head', false, 800, 'get,get,get', true])
})

test('a HEAD that makes a variant returns the headers of GET, and a matching If-None-Match for a small image gets 304', async () => {
	const small = await add(await makePng(320))
	const large = await add(await makePng(800))
	const head = await open(`${large.url}&w=320`, { method: 'HEAD' })
	const variant = await open(`${large.url}&w=320`)
	expect([head.response.status, head.operations]).toEqual([200, 'head,get,put,head'])
	expect(head.response.headers.get('content-length')).toBe(String(variant.bytes.length))
	expect(head.response.headers.get('etag')).toBe(variant.response.headers.get('etag'))

	const whole = await open(`${small.url}&w=320`)
	const etag = whole.response.headers.get('etag') ?? ''
	const unchanged = await open(`${small.url}&w=320`, { headers: { 'if-none-match': etag } })
	expect([unchanged.response.status, unchanged.bytes.length]).toEqual([304, 0])
	const changed = await open(`${small.url}&w=320`, { headers: { 'if-none-match': '"other"' } })
	expect([changed.response.status, changed.bytes]).toEqual([200, whole.bytes])
})

test('a thumbnail and an avatar have variants, which end with the original', async () => {
	const owner = { ...community.owner }
	const bytes = await makePng(800)
	const assetId = (await world.ask(createAsset, { body: { title: 'Film' } }, owner)).ok.data.id
	await world.ask(setThumbnail, { params: { assetId } }, { ...owner, bytes })
	const [summary] = (await world.ask(listAssets, { query: {} }, owner)).ok.data
	const thumbnail = await open(summary?.thumbnailSmallUrl ?? '')
	expect(thumbnail.size?.width).toBe(320)
	expect(thumbnail.response.headers.get('cache-control')).toContain('immutable')
	await world.ask(resetThumbnail, { params: { assetId } }, owner)
	expect(await storedKeys(env.MEDIA)).toEqual([])

	const { avatar_url: avatar } = (await world.ask(setAvatar, {}, { ...ada, bytes })).ok
	expect((await open(`${avatar}?w=640`)).size?.width).toBe(640)
	await world.ask(setAvatar, {}, { ...ada, bytes })
	await world.cron('* * * * *')
	await world.deliver()
	expect((await storedKeys(env.VAULT)).filter((key) => key.includes('/avatars/'))).toHaveLength(1)
})

test('an image that is deleted while its variant is made leaves no variant', async () => {
	const { url, id } = await add(await makePng(800))
	const vault = new Proxy(env.VAULT, {
		get(bucket, name: keyof R2Bucket) {
			const value = bucket[name]
			if (typeof value !== 'function') return value
			if (name !== 'put') return value.bind(bucket)
			return async (key: string, body: Uint8Array) => {
				await world.ask(deleteImage, { params: { imageId: String(id) } }, ada)
				return bucket.put(key, body)
			}
		},
	})
	set({ VAULT: vault })
	expect((await open(`${url}&w=320`)).response.status).toBe(404)
	expect(await storedKeys(env.VAULT)).toEqual([])
})

test('the original is served, and one line is logged, without the Images binding or if it fails', async () => {
	const bytes = await makePng(800)
	const { url } = await add(bytes)
	const failing = {
		input: () => ({ transform: () => ({ output: () => Promise.reject(new Error('quota')) }) }),
	}
	for (const [binding, message] of [
		[undefined, 'images are served in their original size: the binding IMAGES is missing'],
		[failing, 'images are served in their original size: the binding IMAGES failed'],
	] as const) {
		set({ IMAGES: binding })
		for (let i = 0; i < 2; i++) expect((await open(`${url}&w=320`)).bytes).toEqual(bytes)
		expect(world.logs.filter((line) => line.message === message)).toHaveLength(1)
	}
	expect(await storedKeys(env.VAULT)).toHaveLength(1)
})
