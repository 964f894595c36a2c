import { beforeEach, describe, expect, test } from 'vitest'
import { createProfileField, updateProfileField } from '#schema/contract/community/managed-profile-fields.ts'
import { getPublicProfile, type ProfileValue, updateProfile } from '#schema/contract/community/members.ts'
import {
	createPostComment,
	createReply,
	listMemberComments,
} from '#schema/contract/community/post-comments.ts'
import { createPost, listMemberPosts } from '#schema/contract/community/posts.ts'
import { openWorld, type World } from '../world.ts'
import { type Community, openCommunity } from './community.ts'

type Member = Awaited<ReturnType<Community['member']>>
let world: World
let club: Community
let ada: Member
let bo: Member
beforeEach(async () => {
	world = await openWorld()
	club = await openCommunity(world)
	ada = await club.member()
	bo = await club.member()
})

const manage = () => ({ communityId: String(club.id) })
const field = async (key: string, fieldType: 'text' | 'select', more: { required?: boolean } = {}) => {
	const options = fieldType === 'select' ? ['x', 'y'] : []
	const body = { key, label: key.toUpperCase(), fieldType, options, ...more }
	return (await world.ask(createProfileField, { params: manage(), body }, club.owner)).ok.data.id
}
const tell = (profile_fields: Record<string, unknown>, who = ada) =>
	world.ask(updateProfile, { body: { profile_fields: profile_fields as Record<string, ProfileValue> } }, who)
const values = async (who: Member) => {
	const profile = await world.ask(getPublicProfile, { params: { memberId: String(who.memberId) } }, bo)
	return profile.ok.profile_fields.map(({ key, value }) => [key, value])
}

describe('values of profile fields', () => {
	test('are told one by one, seen by others in the order of the fields, and taken out again', async () => {
		const city = await field('city', 'text')
		await field('side', 'select')
		const first = await tell({ city: 'Oslo', side: 'x' })
		expect(first.ok.profile_fields[0]).toEqual({
			id: city,
			key: 'city',
			label: 'CITY',
			field_type: 'text',
			value: 'Oslo',
		})
		await tell({ side: 'y' })
		expect(await values(ada)).toEqual([
			['city', 'Oslo'],
			['side', 'y'],
		])
		await tell({ city: null })
		expect(await values(ada)).toEqual([
			['city', null],
			['side', 'y'],
		])
		expect(await values(bo)).toEqual([
			['city', null],
			['side', null],
		])
	})

	test('are refused as a whole when one has no field, does not fit, or takes out what is required', async () => {
		await field('city', 'text', { required: true })
		await field('side', 'select')
		await tell({ city: 'Oslo' })
		for (const wrong of [{ none: 'x' }, { side: 'z' }, { side: 3 }, { city: null }, { city: ' ' }]) {
			const refused = await tell({ city: 'Rome', ...wrong })
			expect([refused.status, refused.error]).toEqual([400, expect.stringContaining('profile_fields.')])
		}
		expect(await values(ada)).toEqual([
			['city', 'Oslo'],
			['side', null],
		])
	})

	test('that do not fit a changed field any more are not shown', async () => {
		const id = await field('side', 'select')
		await tell({ side: 'x' })
		const change = { params: { ...manage(), fieldId: String(id) }, body: { options: ['y'] } }
		expect((await world.ask(updateProfileField, change, club.owner)).status).toBe(200)
		expect(await values(ada)).toEqual([['side', null]])
	})
})

test('what a member wrote is listed, newest first, as far as the caller sees it', async () => {
	const open = await club.space()
	const secret = await club.space({ visibility: 'secret' })
	await club.grant([ada.memberId], [secret])
	const write = async (spaceId: number) =>
		(await world.ask(createPost, { params: { spaceId: String(spaceId) }, body: { body: 'x' } }, ada)).ok.id
	const [first, hidden, last] = [await write(open), await write(secret), await write(open)]
	const on = (id: number) => ({ params: { postId: String(id) }, body: { body: 'c' } })
	const comment = async (id: number) => (await world.ask(createPostComment, on(id), ada)).ok.id
	const [said, inSecret] = [await comment(first), await comment(hidden)]
	const reply = { params: { commentId: String(said) }, body: { body: 'r' } }
	const replied = (await world.ask(createReply, reply, ada)).ok.id
	const of = { params: { memberId: String(ada.memberId) }, query: {} }
	const posts = async (who: Member) =>
		(await world.ask(listMemberPosts, of, who)).ok.records.map(({ id }) => id)
	const comments = async (who: Member) =>
		(await world.ask(listMemberComments, of, who)).ok.records.map(({ id }) => id)
	expect([await posts(ada), await comments(ada)]).toEqual([
		[last, hidden, first],
		[replied, inSecret, said],
	])
	expect([await posts(bo), await comments(bo)]).toEqual([
		[last, first],
		[replied, said],
	])
})
