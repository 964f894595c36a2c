import { beforeEach, describe, expect, test } from 'vitest'
import { deleteCommunity } from '#schema/contract/community/manage/communities.ts'
import {
	removeCommunityMember,
	updateCommunityMember,
} from '#schema/contract/community/manage/memberships.ts'
import { getAvatar, MAX_AVATAR_BYTES, setAvatar } from '#schema/contract/community/member/avatars.ts'
import {
	getCurrentMember,
	getPublicProfile,
	updateProfile,
} from '#schema/contract/community/member/members.ts'
import { getPost } from '#schema/contract/community/member/posts.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { makePng } from '../../../support/shared/pictures.ts'
import { wholePng } from '../../../support/shared/whole-pictures.ts'
import { type Community, openCommunity, select } from '../community.ts'

type Member = Awaited<ReturnType<Community['member']>>
let world: World
let fixture: Community
let ada: Member
let bo: Member
beforeEach(async () => {
	world = await openWorld()
	fixture = await openCommunity(world)
	ada = await fixture.member()
	bo = await fixture.member()
})

const upload = (who: Member, bytes: BodyInit = wholePng) => world.ask(setAvatar, {}, { ...who, bytes })
const partsOf = (url: string) => {
	const [, memberId = '', avatarFile = ''] = /community_members\/(\d+)\/avatar\/([^/]+)$/.exec(url) ?? []
	return { memberId, avatarFile }
}
/** Fetches an avatar as an `<img>` does, without a credential. */
const show = (url: string | null) => world.ask(getAvatar, { params: partsOf(url ?? '') })
const statusOf = async (url: string | null) => (await show(url)).status
const stored = async () =>
	(await world.bindings.VAULT.list({ prefix: `communities/${fixture.id}/avatars/` })).objects.map(
		({ key }) => key,
	)
const set = async (who: Member) => (await upload(who)).ok.avatar_url
const ofAda = () => ({ params: { communityId: String(fixture.id), memberId: String(ada.memberId) } })

describe('avatars', () => {
	test('uploads an avatar, shows it with the member and serves it without a credential', async () => {
		const postId = await fixture.post(await fixture.space(), { author_id: ada.userId })
		const { status, ok } = await upload(ada)
		expect([status, ok.id]).toEqual([200, ada.memberId])
		expect(ok.avatar_url).toMatch(
			new RegExp(
				`^https?://[^/]+/api/headless/v1/community_members/${ada.memberId}/avatar/[0-9A-Za-z]{22}\\.png$`,
			),
		)
		const post = await world.ask(getPost, { params: { postId: String(postId) } }, bo)
		expect(post.ok.author?.avatar_url).toBe(ok.avatar_url)
		const picture = await show(ok.avatar_url)
		expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
		expect(picture.headers.get('cache-control')).toBe('public, max-age=300')
		expect(await stored()).toHaveLength(1)
		// The upload has deleted its announcement, so the sweep has nothing to delete.
		expect(await select(world, 'select * from storage_purges')).toEqual([])
		const of = (memberId: number) => ({
			params: { ...partsOf(ok.avatar_url ?? ''), memberId: String(memberId) },
		})
		expect((await world.ask(getAvatar, of(bo.memberId))).status).toBe(404)
		expect((await world.ask(getAvatar, of(99_999))).status).toBe(404)
	})

	test('rejects files that are not images or exceed the byte and pixel limits', async () => {
		for (const [bytes, expected] of [
			['GIF89a', 400],
			['', 400],
			[makePng(20_000, 10), 400],
			[new Uint8Array(MAX_AVATAR_BYTES + 1), 413],
		] as const)
			expect((await upload(ada, bytes)).status).toBe(expected)
		expect(await stored()).toEqual([])
		expect((await world.ask(getCurrentMember, {}, ada)).ok.avatar_url).toBeNull()
	})

	test('replaces the previous avatar and deletes it', async () => {
		const first = await set(ada)
		const second = await set(ada)
		await world.deliver()
		expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200])
		expect(await stored()).toEqual([expect.stringContaining(partsOf(second ?? '').avatarFile)])
	})

	test('keeps one stored avatar after concurrent uploads', async () => {
		const urls = await Promise.all(Array.from({ length: 6 }, () => set(ada)))
		await world.deliver()
		const { avatar_url } = (await world.ask(getCurrentMember, {}, ada)).ok
		expect(urls).toContain(avatar_url)
		expect(await stored()).toEqual([expect.stringContaining(partsOf(avatar_url ?? '').avatarFile)])
	})

	test.each<[string, () => Promise<{ status: number }>]>([
		['the member removes it', () => world.ask(updateProfile, { body: { avatar_url: null } }, ada)],
		[
			'the member sets a URL',
			() => world.ask(updateProfile, { body: { avatar_url: 'https://example.org/a.png' } }, ada),
		],
		[
			'the organization removes it',
			() => world.ask(updateCommunityMember, { ...ofAda(), body: { avatarUrl: null } }, fixture.owner),
		],
		[
			'the organization removes it and bans the member',
			() =>
				world.ask(
					updateCommunityMember,
					{ ...ofAda(), body: { avatarUrl: null, status: 'banned' } },
					fixture.owner,
				),
		],
		['the member is removed', () => world.ask(removeCommunityMember, ofAda(), fixture.owner)],
		[
			'the community is deleted',
			() => world.ask(deleteCommunity, { params: { communityId: String(fixture.id) } }, fixture.owner),
		],
	])('hides an avatar immediately and deletes its object later when %s', async (_, end) => {
		const url = await set(ada)
		expect(await stored()).toHaveLength(1)
		expect((await end()).status).toBe(200)
		expect(await statusOf(url)).toBe(404)
		// The removal message of a community sends another message.
		for (let i = 0; i < 3; i++) await world.deliver()
		expect(await stored()).toEqual([])
	})

	test('keeps an avatar when the profile is sent back unchanged', async () => {
		const url = await set(ada)
		const { name, avatar_url, headline } = (await world.ask(getCurrentMember, {}, ada)).ok
		const back = await world.ask(updateProfile, { body: { name, avatar_url, headline } }, ada)
		expect(back.ok.avatar_url).toBe(url)
		await world.ask(updateCommunityMember, { ...ofAda(), body: { avatarUrl: url, bio: 'x' } }, fixture.owner)
		await world.deliver()
		expect(await statusOf(url)).toBe(200)
	})

	test('keeps an uploaded avatar when another profile with the same URL changes', async () => {
		const url = await set(ada)
		await world.ask(updateProfile, { body: { avatar_url: url } }, bo)
		await world.ask(updateProfile, { body: { avatar_url: null } }, bo)
		await world.deliver()
		expect(await statusOf(url)).toBe(200)
	})

	test('limits avatar uploads to 30 per day', async () => {
		const statuses = []
		for (let i = 0; i < 31; i++) statuses.push((await upload(ada, 'no picture')).status)
		expect(statuses).toEqual([...Array(30).fill(400), 429])
		expect((await upload(bo)).status).toBe(200)
	})

	test('sweeps an avatar of an interrupted upload', async () => {
		const put = world.bindings.VAULT.put.bind(world.bindings.VAULT)
		world.bindings.VAULT.put = (async (...args: Parameters<typeof put>) => {
			await put(...args)
			throw new Error('the Worker died')
		}) as typeof put
		try {
			expect((await upload(ada)).status).toBe(500)
		} finally {
			world.bindings.VAULT.put = put
		}
		expect(await stored()).toHaveLength(1)
		world.pass(2 * 60 * 60_000)
		await world.cron('* * * * *')
		await world.deliver()
		expect(await stored()).toEqual([])
	})
})

test('discards an avatar that is uploaded while the member is removed', async () => {
	const put = world.bindings.VAULT.put.bind(world.bindings.VAULT)
	world.bindings.VAULT.put = (async (...args: Parameters<typeof put>) => {
		await world.ask(removeCommunityMember, ofAda(), fixture.owner)
		return put(...args)
	}) as typeof put
	let status = 0
	try {
		status = (await upload(ada)).status
	} finally {
		world.bindings.VAULT.put = put
	}
	expect(status).toBe(403)
	await world.deliver()
	expect(await stored()).toEqual([])
	expect((await world.ask(getPublicProfile, { params: { memberId: String(ada.memberId) } }, bo)).status).toBe(
		404,
	)
})
