import { beforeEach, expect, test } from 'vitest'
import { addPostImage, deleteImage } from '#schema/contract/community/member/images.ts'
import { hidePost } from '#schema/contract/community/member/moderation.ts'
import { react } from '#schema/contract/community/member/post-reactions.ts'
import { deletePost, getPost } from '#schema/contract/community/member/posts.ts'
import { imageUrlSigner } from '../../../../edge/community/images/image-urls.ts'
import { MINUTE } from '../../../../edge/platform/clock.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { picturesWithPlaces, wholeJpg, wholePng, wholeWebp } from '../../../support/shared/whole-pictures.ts'
import { type Community, openCommunity, select } from '../community.ts'

type Member = Awaited<ReturnType<Community['member']>>

let world: World
let community: Community
let ada: Member
let bo: Member
let postId: number
beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
	ada = await community.member()
	bo = await community.member()
	postId = await community.post(await community.space(), { author_id: ada.userId })
})

const onPost = () => ({ params: { postId: String(postId) } })
const add = async (bytes: BodyInit = wholePng, query: { alt?: string } = {}) =>
	(await world.ask(addPostImage, { ...onPost(), query }, { ...ada, bytes })).ok
const open = (url: string) => world.fetch(new Request(url))
const status = async (url: string) => {
	const response = await open(url)
	await response.body?.cancel()
	return response.status
}
const urlSeenBy = async (who: Member) => (await world.ask(getPost, onPost(), who)).ok.images[0]?.url as string

test('the URL of an image works without a credential, and browsers may cache it until it expires', async () => {
	await add()
	const url = await urlSeenBy(bo)
	const response = await open(url)
	expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
	expect(new Uint8Array(await response.arrayBuffer())).toEqual(wholePng)
	expect(response.headers.get('cache-control')).toMatch(/^private, max-age=\d{4}, immutable$/)
	expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
	expect(response.headers.get('ratelimit-policy')).toBeNull()
})

test('the URL of an image is constant for half an hour and expires within one', async () => {
	const { id } = await add()
	const start = Math.ceil(world.now / (30 * MINUTE)) * 30 * MINUTE
	const urlAt = (now: number) =>
		world.deps((deps) =>
			imageUrlSigner(
				Object.assign(Object.create(deps), { now }),
				new Request('https://edge.test'),
				community.id,
			)(id, false),
		)
	expect(await urlAt(start)).toBe(await urlAt(start + 29 * MINUTE))
	expect(await urlAt(start)).not.toBe(await urlAt(start + 30 * MINUTE))
	const url = await urlSeenBy(bo)
	world.pass(29 * MINUTE)
	expect(await status(url)).toBe(200)
	world.pass(33 * MINUTE)
	expect(await status(url)).toBe(404)
})

test('the URL of an image opens no other image and no other community, and not without its token', async () => {
	const first = await add()
	const second = await add()
	const other = await openCommunity(world, 'other')
	const request = new Request('https://edge.test')
	const foreign = await world.deps((deps) => imageUrlSigner(deps, request, other.id)(first.id, false))
	const swapped = first.url.replace(`/images/${first.id}/`, `/images/${second.id}/`)
	const bare = first.url.replace(/\?.*/, '')
	const cut = first.url.slice(0, -2)
	expect([await status(foreign), await status(swapped), await status(cut), await status(bare)]).toEqual([
		404, 404, 404, 400,
	])
	expect(await status(second.url)).toBe(200)
})

test('hiding or deleting a post, deleting an image and a suspension end the URL of an image', async () => {
	const hidden = await add()
	const moderator = await community.member({ role: 'moderator' })
	await world.ask(hidePost, onPost(), moderator)
	expect(await status(hidden.url)).toBe(404)
	expect([await status(await urlSeenBy(ada)), await status(await urlSeenBy(moderator))]).toEqual([200, 200])
	postId = await community.post(await community.space(), { author_id: ada.userId })
	const [gone, kept] = [await add(), await add()]
	await world.ask(deleteImage, { params: { imageId: String(gone.id) } }, ada)
	expect([await status(gone.url), await status(kept.url)]).toEqual([404, 200])
	const suspend = (at: number | null) =>
		select(world, `update orgs set suspended_at = ${at} where id = '${community.orgId}' returning 1`)
	await suspend(world.now)
	expect(await status(kept.url)).toBe(404)
	await suspend(null)
	await world.ask(deletePost, onPost(), ada)
	expect(await status(kept.url)).toBe(404)
})

test('an image has its size as shown, a description, counts and the reaction of the caller', async () => {
	for (const bytes of [wholePng, wholeJpg, wholeWebp])
		expect(await add(bytes)).toMatchObject({ width: 2, height: 3 })
	// The camera was held upright: the image is shown turned by a quarter.
	for (const bytes of Object.values(picturesWithPlaces))
		expect(await add(bytes as BodyInit)).toMatchObject({ width: 3, height: 2 })
	const { id } = await add(wholePng, { alt: 'A red door' })
	await world.ask(react, { body: { reactable_type: 'Image', reactable_id: id, reaction: '🎬' } }, bo)
	const seenBy = async (who: Member) =>
		(await world.ask(getPost, onPost(), who)).ok.images.find((image) => image.id === id)
	expect(await seenBy(bo)).toMatchObject({ alt: 'A red door', reactions: { '🎬': 1 }, my_reaction: '🎬' })
	expect(await seenBy(ada)).toMatchObject({ reactions: { '🎬': 1 }, my_reaction: null })
	const { images, cover_image } = (await world.ask(getPost, onPost(), bo)).ok
	expect(cover_image).toBe(images[0]?.url)
})
