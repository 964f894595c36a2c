import { beforeEach, describe, expect, test } from 'vitest'
import { getMe, updateMe } from '#schema/contract/accounts/identity.ts'
import { createProfileField, updateProfileField } from '#schema/contract/community/manage/profile-fields.ts'
import {
	getCurrentMember,
	getPublicProfile,
	type ProfileValue,
	searchMembers,
	updateProfile,
} from '#schema/contract/community/member/members.ts'
import { hidePost, restorePost } from '#schema/contract/community/member/moderation.ts'
import {
	createPostComment,
	createReply,
	listMemberComments,
} from '#schema/contract/community/member/post-comments.ts'
import { createPost, deletePost, listMemberPosts } from '#schema/contract/community/member/posts.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Community, memberTokens, openCommunity } from '../community.ts'

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

const manage = () => ({ communityId: String(fixture.id) })
const field = async (key: string, fieldType: 'text' | 'select', more: { required?: boolean } = {}) => {
	const options = fieldType === 'select' ? ['x', 'y'] : []
	const body = { key, label: key.toUpperCase(), fieldType, options, ...more }
	return (await world.ask(createProfileField, { params: manage(), body }, fixture.owner)).ok.data.id
}
const setFields = (profile_fields: Record<string, unknown>, who = ada) =>
	world.ask(updateProfile, { body: { profile_fields: profile_fields as Record<string, ProfileValue> } }, who)
const values = async (who: Member) => {
	const profile = await world.ask(getPublicProfile, { params: { memberId: String(who.memberId) } }, bo)
	return profile.ok.profile_fields.map(({ key, value }) => [key, value])
}

describe('profile field values', () => {
	test('sets and removes single profile values and shows them in the order of the fields', {
		tags: 'd1',
	}, async () => {
		const city = await field('city', 'text')
		await field('side', 'select')
		const first = await setFields({ city: 'Oslo', side: 'x' })
		expect(first.ok.profile_fields[0]).toEqual({
			id: city,
			key: 'city',
			label: 'CITY',
			field_type: 'text',
			value: 'Oslo',
		})
		await setFields({ side: 'y' })
		expect(await values(ada)).toEqual([
			['city', 'Oslo'],
			['side', 'y'],
		])
		await setFields({ city: null })
		expect(await values(ada)).toEqual([
			['city', null],
			['side', 'y'],
		])
		expect(await values(bo)).toEqual([
			['city', null],
			['side', null],
		])
	})

	test('rejects all profile values if one is unknown, invalid or required', async () => {
		await field('city', 'text', { required: true })
		await field('side', 'select')
		await setFields({ city: 'Oslo' })
		for (const wrong of [{ none: 'x' }, { side: 'z' }, { side: 3 }, { city: null }, { city: ' ' }]) {
			const refused = await setFields({ city: 'Rome', ...wrong })
			expect([refused.status, refused.error]).toEqual([400, expect.stringContaining('profile_fields.')])
		}
		expect(await values(ada)).toEqual([
			['city', 'Oslo'],
			['side', null],
		])
	})

	test('hides profile values that are invalid after a change of the field', async () => {
		const id = await field('side', 'select')
		await setFields({ side: 'x' })
		const change = { params: { ...manage(), fieldId: String(id) }, body: { options: ['y'] } }
		expect((await world.ask(updateProfileField, change, fixture.owner)).status).toBe(200)
		expect(await values(ada)).toEqual([['side', null]])
	})
})

test('lists posts and comments of a member that the caller sees, newest first', async () => {
	const open = await fixture.space()
	const secret = await fixture.space({ visibility: 'secret' })
	await fixture.grant([ada.memberId], [secret])
	const write = async (spaceId: number) =>
		(await world.ask(createPost, { params: { spaceId: String(spaceId) }, body: { body: 'x' } }, ada)).ok.id
	const [first, hidden, last] = [await write(open), await write(secret), await write(open)]
	const on = (id: number) => ({ params: { postId: String(id) }, body: { body: 'c' } })
	const comment = async (id: number) => (await world.ask(createPostComment, on(id), ada)).ok.id
	const [commentId, secretCommentId] = [await comment(first), await comment(hidden)]
	const reply = { params: { commentId: String(commentId) }, body: { body: 'r' } }
	const replyId = (await world.ask(createReply, reply, ada)).ok.id
	const of = { params: { memberId: String(ada.memberId) }, query: {} }
	const posts = async (who: Member) =>
		(await world.ask(listMemberPosts, of, who)).ok.records.map(({ id }) => id)
	const comments = async (who: Member) =>
		(await world.ask(listMemberComments, of, who)).ok.records.map(({ id }) => id)
	expect([await posts(ada), await comments(ada)]).toEqual([
		[last, hidden, first],
		[replyId, secretCommentId, commentId],
	])
	expect([await posts(bo), await comments(bo)]).toEqual([
		[last, first],
		[replyId, commentId],
	])
})

test('counts exactly the listed comments while posts are hidden, restored and deleted', async () => {
	const spaceId = await fixture.space()
	const [first, second, third] = [
		await fixture.post(spaceId),
		await fixture.post(spaceId),
		await fixture.post(spaceId),
	]
	const comment = (postId: number) =>
		world.ask(createPostComment, { params: { postId: String(postId) }, body: { body: 'c' } }, ada)
	const commentId = (await comment(first)).ok.id
	for (const id of [second, third]) await comment(id)
	await world.ask(createReply, { params: { commentId: String(commentId) }, body: { body: 'r' } }, ada)
	const of = { params: { memberId: String(ada.memberId) } }
	const counts = async () => {
		const listed = (await world.ask(listMemberComments, { ...of, query: {} }, bo)).ok.records
		const profile = (await world.ask(getPublicProfile, of, bo)).ok
		expect(profile.comments_count).toBe(listed.length)
		return listed.length
	}
	expect(await counts()).toBe(4)
	await world.ask(hidePost, { params: { postId: String(first) } }, fixture.owner)
	expect(await counts()).toBe(2)
	await world.ask(deletePost, { params: { postId: String(second) } }, fixture.owner)
	expect(await counts()).toBe(1)
	await world.ask(restorePost, { params: { postId: String(first) } }, fixture.owner)
	expect(await counts()).toBe(3)
})

describe('member names', () => {
	const rename = (name: string | null, who = ada) => world.ask(updateProfile, { body: { name } }, who)
	const renameAccount = (name: string, who = ada) => world.ask(updateMe, { body: { name } }, who)
	const namesOf = async (who: Member) => {
		const of = { params: { memberId: String(who.memberId) } }
		const profile = (await world.ask(getPublicProfile, of, bo)).ok.name
		const [post] = (await world.ask(listMemberPosts, { ...of, query: {} }, bo)).ok.records
		return [profile, post?.author?.name]
	}
	const found = async (search_text: string) => {
		await world.deliver()
		const { ok } = await world.ask(searchMembers, { query: { search_text } }, bo)
		return ok.records.map(({ id }) => id)
	}

	test('a member sets a name for one community, is found by it, and resets it', { tags: 'd1' }, async () => {
		const other = await openCommunity(world, 'other')
		const there = await other.join(ada)
		await fixture.post(await fixture.space(), { author_id: ada.userId })
		expect((await rename('  Countess  ')).ok.name).toBe('Countess')
		expect(await namesOf(ada)).toEqual(['Countess', 'Countess'])
		expect(await found('countess')).toEqual([ada.memberId])
		expect((await world.ask(getCurrentMember, {}, there)).ok.name).not.toBe('Countess')
		expect((await world.ask(getMe, {}, ada)).ok.data.user.name).not.toBe('Countess')
		const own = (await world.ask(getMe, {}, ada)).ok.data.user.name
		expect((await rename(null)).ok.name).toBe(own)
		expect(await namesOf(ada)).toEqual([own, own])
		for (const name of ['', '  ', 'x'.repeat(101), 7])
			expect((await rename(name as string)).status, String(name)).toBe(400)
	})

	test('a member has the name of the account until they set another', { tags: 'd1' }, async () => {
		const other = await openCommunity(world, 'other')
		const there = await other.join(ada)
		await rename('Countess')
		const answer = (await renameAccount(' Augusta ')).ok.data
		expect(answer.user.name).toBe('Augusta')
		expect(answer).toEqual((await world.ask(getMe, {}, ada)).ok.data)
		expect((await world.ask(getCurrentMember, {}, there)).ok.name).toBe('Augusta')
		expect((await world.ask(getCurrentMember, {}, ada)).ok.name).toBe('Countess')
		expect(await found('augusta')).toEqual([])
		await rename(null)
		expect(await found('augusta')).toEqual([ada.memberId])
		await renameAccount('Byron')
		expect([await found('byron'), await found('augusta')]).toEqual([[ada.memberId], []])
		for (const name of ['', ' ', 'x'.repeat(101)]) expect((await renameAccount(name)).status).toBe(400)
	})

	test('a member token changes the name only in its community', async () => {
		const { access_token: token } = await memberTokens(world, await fixture.key(), ada.memberId)
		expect((await world.ask(updateProfile, { body: { name: 'Countess' } }, { token })).status).toBe(200)
		expect((await world.ask(updateMe, { body: { name: 'Countess' } }, { token })).status).toBe(401)
		expect((await world.ask(getMe, {}, ada)).ok.data.user.name).not.toBe('Countess')
	})

	test('limits name changes to 20 per day over all communities and the account', { tags: 'd1' }, async () => {
		for (let i = 0; i < 10; i++) {
			expect((await rename(`Name ${i}`)).status).toBe(200)
			expect((await renameAccount(`Name ${i}`)).status).toBe(200)
		}
		const refused = [await rename('One more'), await renameAccount('One more')]
		expect(refused.map(({ status }) => status)).toEqual([429, 429])
		expect((await world.ask(updateProfile, { body: { bio: 'Still free' } }, ada)).status).toBe(200)
		expect((await rename('Of somebody else', bo)).status).toBe(200)
		world.pass(25 * 60 * 60_000)
		expect((await rename('Tomorrow', { ...ada, token: await world.logIn(ada) })).status).toBe(200)
	})
})
