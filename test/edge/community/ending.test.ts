import { beforeEach, describe, expect, test } from 'vitest'
import { createBookmark } from '#schema/contract/community/bookmarks.ts'
import { readCalendarFeed, resetCalendarFeed } from '#schema/contract/community/calendar.ts'
import { attendEvent, listAttendees } from '#schema/contract/community/events.ts'
import { followPost } from '#schema/contract/community/followers.ts'
import { deactivateMember, getCurrentMember } from '#schema/contract/community/members.ts'
import {
	addCommunityMember,
	getCommunityMember,
	removeCommunityMember,
	updateCommunityMember,
} from '#schema/contract/community/memberships.ts'
import { banMember } from '#schema/contract/community/moderation.ts'
import { createPostComment } from '#schema/contract/community/post-comments.ts'
import { react } from '#schema/contract/community/post-reactions.ts'
import { getPost } from '#schema/contract/community/posts.ts'
import { openWorld, type World } from '../world.ts'
import { type Community, memberTokens, openCommunity, select } from './community.ts'

type Member = Awaited<ReturnType<Community['member']>>
let world: World
let club: Community
let ada: Member
let bo: Member
let cy: Member
beforeEach(async () => {
	world = await openWorld()
	club = await openCommunity(world)
	ada = await club.member()
	bo = await club.member()
	cy = await club.member()
})

const of = (who: Member) => ({ params: { communityId: String(club.id), memberId: String(who.memberId) } })
/** Everything that follows has happened. */
async function settle() {
	world.pass(20_000)
	await world.cron('* * * * *')
	await world.deliver()
}
const change = (who: Member, body: { status?: 'inactive' | 'banned' | 'active'; role?: 'member' }) =>
	world.ask(updateCommunityMember, { ...of(who), body }, club.owner)
const roles = async () =>
	(
		await select<{ role: string }>(
			world,
			`select role from memberships where community_id = ${club.id} and status = 'active' order by id`,
		)
	).map(({ role }) => role)
const told = async () =>
	(
		await select<{ type: string }>(
			world,
			"select type from outbox where type like 'community.member_%' order by id",
		)
	).map(({ type }) => type)

describe('the place at an event of a member', () => {
	const leaving: [string, (who: Member) => Promise<{ status: number }>, string][] = [
		[
			'who is banned',
			(who) => world.ask(banMember, { params: { memberId: String(who.memberId) } }, club.owner),
			'community.member_banned',
		],
		['whom the organization bans', (who) => change(who, { status: 'banned' }), 'community.member_banned'],
		[
			'who is removed',
			(who) => world.ask(removeCommunityMember, of(who), club.owner),
			'community.member_removed',
		],
	]
	test.each(leaving)('%s goes to who waits, if it is not over', async (_, leave, type) => {
		const spaceId = await club.space()
		const full = { capacity: 1, waitlist_enabled: 1 }
		const next = await club.event(spaceId, { ...full, ends_at: world.now + 1_000_000 })
		const past = await club.event(spaceId, { ...full, starts_at: 1, ends_at: 2 })
		const on = (id: number) => ({ params: { eventId: String(id) } })
		for (const id of [next, past]) for (const who of [ada, bo]) await world.ask(attendEvent, on(id), who)
		expect((await leave(ada)).status).toBe(200)
		await settle()
		const going = async (id: number) =>
			(await world.ask(listAttendees, on(id), bo)).ok.records.map((one) => [
				one.community_member_id,
				one.rsvp_status,
			])
		expect(await going(next)).toEqual([[bo.memberId, 'going']])
		expect(await going(past)).toEqual(
			type === 'community.member_removed'
				? [[bo.memberId, 'going']]
				: [
						[ada.memberId, 'going'],
						[bo.memberId, 'waitlisted'],
					],
		)
		expect(await told()).toEqual([type])
	})
})

test('a member who leaves, or is made inactive, keeps their place and all else', async () => {
	const eventId = await club.event(await club.space(), { capacity: 1, waitlist_enabled: 1 })
	const on = { params: { eventId: String(eventId) } }
	for (const who of [ada, bo]) await world.ask(attendEvent, on, who)
	const rsvps = () => select(world, 'select * from event_rsvps order by id')
	const before = await rsvps()
	await world.ask(deactivateMember, {}, ada)
	await change(cy, { status: 'inactive' })
	await settle()
	expect(await told()).toEqual(['community.member_left', 'community.member_left'])
	for (const who of [ada, cy]) {
		expect((await world.ask(getCurrentMember, {}, who)).status).toBe(403)
		await change(who, { status: 'active' })
	}
	const statuses = (await world.ask(listAttendees, on, ada)).ok.records.map((one) => one.rsvp_status)
	expect(statuses).toEqual(['going', 'waitlisted'])
	expect(await rsvps()).toEqual(before)
})

test.each<[string, (who: Member) => Promise<unknown>]>([
	['who left', (who) => world.ask(deactivateMember, {}, who)],
	['who was made inactive', (who) => change(who, { status: 'inactive' })],
	[
		'who was banned',
		(who) => world.ask(banMember, { params: { memberId: String(who.memberId) } }, club.owner),
	],
	['who was removed', (who) => world.ask(removeCommunityMember, of(who), club.owner)],
])('a member %s and comes back does not bring their calendar address back to life', async (_, leave) => {
	const { url } = (await world.ask(resetCalendarFeed, {}, ada)).ok
	const read = async () => {
		const feedFile = new URL(url).pathname.split('/').at(-1) as string
		return (await world.ask(readCalendarFeed, { params: { feedFile } })).status
	}
	expect(await read()).toBe(200)
	await leave(ada)
	await change(ada, { status: 'active' })
	expect((await world.ask(getCurrentMember, {}, ada)).status).toBe(200)
	expect(await read()).toBe(404)
})

test('whoever comes back before it follows loses nothing but their tokens and calendar address', async () => {
	const spaceId = await club.space()
	const eventId = await club.event(spaceId, { ends_at: world.now + 1_000_000 })
	await world.ask(attendEvent, { params: { eventId: String(eventId) } }, ada)
	const tokens = await memberTokens(world, await club.key(), ada.memberId)
	await change(ada, { status: 'banned' })
	await change(ada, { status: 'active' })
	await settle()
	expect((await world.ask(getCurrentMember, {}, { token: tokens.access_token })).status).toBe(401)
	expect(await select(world, 'select id from event_rsvps')).toHaveLength(1)
	await world.ask(removeCommunityMember, of(ada), club.owner)
	await change(ada, { status: 'active' })
	await settle()
	expect((await world.ask(getCurrentMember, {}, ada)).status).toBe(200)
})

test('an end is told once, and of someone who was in', async () => {
	await change(ada, { status: 'banned' })
	await change(ada, { status: 'inactive' })
	await change(bo, { role: 'member' })
	expect(await told()).toEqual(['community.member_banned'])
})

describe('a member who is removed', () => {
	test('is out at once, and takes along what is theirs, but not what they wrote', async () => {
		const postId = await club.post(await club.space())
		const on = { params: { postId: String(postId) } }
		await world.ask(createPostComment, { ...on, body: { body: 'Mine' } }, ada)
		await world.ask(react, { body: { reactable_type: 'Post', reactable_id: postId } }, ada)
		await world.ask(createBookmark, { body: { bookmarkable_id: postId } }, ada)
		await world.ask(followPost, on, ada)
		await settle()
		expect((await world.ask(removeCommunityMember, of(ada), club.owner)).status).toBe(200)
		expect((await world.ask(getCurrentMember, {}, ada)).status).toBe(403)
		await settle()
		await settle()
		expect((await world.ask(getCommunityMember, of(ada), club.owner)).status).toBe(404)
		expect((await world.ask(removeCommunityMember, of(ada), club.owner)).status).toBe(404)
		const post = (await world.ask(getPost, on, bo)).ok
		expect([post.comments_count, post.reactions]).toEqual([1, {}])
		for (const table of ['bookmarks', 'post_followers'])
			expect(await select(world, `select 1 from ${table} where user_id = ${ada.userId}`)).toEqual([])
		for (const table of ['member_terms', 'member_texts', 'post_reactions'])
			expect(await select(world, `select 1 from ${table} where membership_id = ${ada.memberId}`)).toEqual([])
		const again = { params: { communityId: String(club.id) }, body: { email: ada.email } }
		expect((await world.ask(addCommunityMember, again, club.owner)).status).toBe(201)
	})

	test('of another organization’s community is not there', async () => {
		expect((await world.ask(removeCommunityMember, of(ada), bo)).status).toBe(404)
		expect((await world.ask(getCurrentMember, {}, ada)).status).toBe(200)
	})
})

describe('the last owner who goes', () => {
	test.each(['made inactive', 'removed'])(
		'and is %s hands over: to an admin, to who is there longest',
		async (how) => {
			await select(world, `update memberships set role = 'moderator' where id = ${cy.memberId} returning 1`)
			const go = (who: Member) =>
				how === 'removed'
					? world.ask(removeCommunityMember, of(who), club.owner)
					: change(who, { status: 'inactive' })
			await go(club.owner)
			await settle()
			expect(await roles()).toEqual(['member', 'member', 'owner'])
			await go(cy)
			await settle()
			expect(await roles()).toEqual(['owner', 'member'])
			await go(bo)
			await settle()
			expect(await roles()).toEqual(['owner'])
		},
	)

	test('hands nothing over while there is another one', async () => {
		await select(world, `update memberships set role = 'owner' where id = ${bo.memberId} returning 1`)
		await change(club.owner, { status: 'inactive' })
		await settle()
		expect(await roles()).toEqual(['member', 'owner', 'member'])
	})
})
