/** @module-tag d1 */
import { beforeEach, describe, expect, test } from 'vitest'
import { setAvatar } from '#schema/contract/community/member/avatars.ts'
import { addPostImage } from '#schema/contract/community/member/images.ts'
import { allOperations } from '#schema/contract/index.ts'
import { createAsset, setThumbnail } from '#schema/contract/video/assets.ts'
import { setLogo } from '#schema/contract/watch/settings/logo.ts'
import { openWorld, type World } from '../../support/edge/world.ts'
import { picturesWithPlaces, SECRET } from '../../support/shared/whole-pictures.ts'
import { openCommunity } from '../community/community.ts'

let world: World
beforeEach(async () => {
	world = await openWorld()
})

type Headers = Record<string, string>
type Upload = (
	bytes: Uint8Array<ArrayBuffer>,
	headers?: Headers,
) => Promise<{ status: number; error: string }>

/** Every operation that takes an image, with an upload by an allowed caller. */
const uploads: Record<string, () => Promise<Upload>> = {
	setThumbnail: async () => {
		const ada = await world.person()
		const { id: assetId } = (await world.ask(createAsset, { body: { title: 'Film' } }, ada)).ok.data
		return (bytes, headers = {}) =>
			world.ask(setThumbnail, { params: { assetId } }, { ...ada, bytes, headers })
	},
	setLogo: async () => {
		const ada = await world.person()
		return (bytes, headers = {}) => world.ask(setLogo, {}, { ...ada, bytes, headers })
	},
	addPostImage: async () => {
		const fixture = await openCommunity(world)
		const params = { postId: String(await fixture.post(await fixture.space())) }
		return (bytes, headers = {}) => world.ask(addPostImage, { params }, { ...fixture.owner, bytes, headers })
	},
	setAvatar: async () => {
		const member = await (await openCommunity(world)).member()
		return (bytes, headers = {}) => world.ask(setAvatar, {}, { ...member, bytes, headers })
	},
}
/** Operations that take other bytes: videos, subtitles, forms, reports and callbacks. */
const nonImageOperations = [
	'appendUpload',
	'beginUpload',
	'receiveAiCallback',
	'receiveBillingEvent',
	'sendBrowserReports',
	'setSubtitles',
	'unsubscribe',
	'uploadDirectly',
	'uploadSource',
]

test('every operation with a binary body is listed as an image upload or not', () => {
	const withBytes = allOperations.filter((op) => op.takesBytes)
	expect(withBytes.map((op) => op.id).toSorted()).toEqual(
		[...Object.keys(uploads), ...nonImageOperations].toSorted(),
	)
	const images = withBytes.filter((op) => op.takesBytes?.type === 'image/*').map((op) => op.id)
	expect(images.toSorted()).toEqual(Object.keys(uploads).toSorted())
})

async function storedTexts(): Promise<string[]> {
	const texts: string[] = []
	for (const bucket of [world.bindings.VAULT, world.bindings.MEDIA])
		for (const { key } of (await bucket.list()).objects) {
			const object = await bucket.get(key)
			texts.push(new TextDecoder('latin1').decode(await object?.arrayBuffer()))
		}
	return texts
}

describe.each(Object.keys(uploads))('%s', (id) => {
	test.each(Object.entries(picturesWithPlaces))(
		'an uploaded %s is stored without its location',
		async (_, bytes) => {
			const upload = await (uploads[id] as () => Promise<Upload>)()
			expect((await upload(bytes)).status).toBeLessThan(300)
			const stored = await storedTexts()
			expect(stored).toHaveLength(1)
			expect(stored.join()).not.toContain(SECRET)
			expect((await upload(bytes.slice(0, -SECRET.length - 40))).status).toBe(400)
			expect(await storedTexts()).toEqual(stored)
		},
	)

	test('partial content of an image is rejected and never stored', async () => {
		const upload = await (uploads[id] as () => Promise<Upload>)()
		const [bytes = new Uint8Array()] = Object.values(picturesWithPlaces)
		const answer = await upload(bytes, { 'content-range': `bytes 0-${bytes.length - 1}/${bytes.length + 1}` })
		expect([answer.status, answer.error]).toEqual([400, expect.stringContaining('TUS')])
		expect(await storedTexts()).toEqual([])
	})
})
