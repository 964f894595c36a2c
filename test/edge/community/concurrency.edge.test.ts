import { beforeEach, describe, expect, test } from 'vitest'
import { createBookmark } from '#schema/contract/community/member/bookmarks.ts'
import { attendEvent, leaveEvent, listAttendees } from '#schema/contract/community/member/events.ts'
import { followPost } from '#schema/contract/community/member/followers.ts'
import { flagContent } from '#schema/contract/community/member/moderation.ts'
import { react } from '#schema/contract/community/member/post-reactions.ts'
import { openWorld, type World } from '../../support/edge/world.ts'
import { type Community, openCommunity, select } from './community.ts'

const MANY = 50
const CROWD = 200
const PLACES = 37

let world: World
let community: Community
let ada: Awaited<ReturnType<Community['member']>>
let spaceId: number
beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
	ada = await community.member()
	spaceId = await community.space()
})

const atOnce = <T>(count: number, act: (i: number) => Promise<T>) =>
	Promise.all(Array.from({ length: count }, (_, i) => act(i)))
/** Retries 503, the response of an overloaded database, as clients do. Every retried request is idempotent. */
async function retryOverload<A extends { status: number }>(act: () => Promise<A>, tries = 20): Promise<A> {
	const answer = await act()
	return answer.status === 503 && tries > 1 ? retryOverload(act, tries - 1) : answer
}
const rowsIn = async (table: string) => (await select(world, `select 1 from ${table}`)).length

describe(`${MANY} concurrent identical requests`, () => {
	/** Creating a row returns 201 once and 200 afterwards. Setting a state returns 200 each time. */
	test.each([
		['bookmark', 'bookmarks', [201, ...Array(MANY - 1).fill(200)]],
		['follow', 'post_followers', Array(MANY).fill(200)],
		['reaction', 'post_reactions', Array(MANY).fill(200)],
		['flag', 'flags', [201, ...Array(MANY - 1).fill(200)]],
		['RSVP', 'event_rsvps', Array(MANY).fill(200)],
	] as const)('concurrent identical requests create one row: %s', async (name, table, statuses) => {
		const postId = await community.post(spaceId)
		const params = { postId: String(postId) }
		const eventId = String(await community.event(spaceId, { capacity: 1 }))
		const responses = await atOnce(MANY, async () => {
			if (name === 'bookmark') return world.ask(createBookmark, { body: { bookmarkable_id: postId } }, ada)
			if (name === 'follow') return world.ask(followPost, { params }, ada)
			if (name === 'RSVP') return world.ask(attendEvent, { params: { eventId } }, ada)
			if (name === 'reaction')
				return world.ask(react, { body: { reactable_type: 'Post', reactable_id: postId } }, ada)
			const body = { content_type: 'Post' as const, content_id: postId, reason: 'Why' }
			return world.ask(flagContent, { body }, ada)
		})
		expect(responses.map(({ status }) => status).sort((a, b) => b - a)).toEqual(statuses)
		expect(await rowsIn(table)).toBe(1)
		if (name === 'reaction') expect(new Set(responses.map(({ text }) => text)).size, 'one id').toBe(1)
	})
})

describe(`${CROWD} concurrent members`, () => {
	async function makeCrowd(count: number) {
		const crowd: { token: string; headers: Record<string, string>; memberId: number }[] = []
		for (let i = 0; i < count; i++) crowd.push(await community.member())
		return crowd
	}
	const at = (id: number) => ({ params: { eventId: String(id) } })
	const rsvps = (id: number) =>
		select<{ member: number; status: string }>(
			world,
			`select membership_id as member, status from event_rsvps where event_id = ${id} order by id`,
		)

	test('concurrent RSVPs never exceed the capacity, and promote waiting members in order', async () => {
		const crowd = await makeCrowd(CROWD)
		const full = await community.event(spaceId, { capacity: PLACES })
		const attempts = await atOnce(CROWD, (i) =>
			retryOverload(() => world.ask(attendEvent, at(full), crowd[i])),
		)
		const statuses = attempts.map(({ status }) => status)
		expect(statuses.filter((status) => status === 200)).toHaveLength(PLACES)
		expect(statuses.filter((status) => status === 409)).toHaveLength(CROWD - PLACES)
		expect(await rsvps(full)).toHaveLength(PLACES)

		const waiting = await community.event(spaceId, { capacity: PLACES, waitlist_enabled: 1 })
		const attended = await atOnce(CROWD, (i) =>
			retryOverload(() => world.ask(attendEvent, at(waiting), crowd[i])),
		)
		expect(new Set(attended.map(({ status }) => status))).toEqual(new Set([200]))
		const queue = await rsvps(waiting)
		const expected = (places: number, rows: typeof queue) =>
			rows.map((row, i) => ({ ...row, status: i < places ? 'going' : 'waitlisted' }))
		expect(queue).toEqual(expected(PLACES, queue))

		// Thirty attendees and ten waiting members leave concurrently.
		const leaving = new Set(
			[...queue.slice(0, 30), ...queue.slice(PLACES + 5, PLACES + 15)].map((row) => row.member),
		)
		const leavingMembers = crowd.filter(({ memberId }) => leaving.has(memberId))
		await atOnce(leavingMembers.length, (i) =>
			retryOverload(() => world.ask(leaveEvent, at(waiting), leavingMembers[i])),
		)
		const rest = queue.filter(({ member }) => !leaving.has(member))
		expect(await rsvps(waiting)).toEqual(expected(PLACES, rest))
		const { records } = (await world.ask(listAttendees, at(waiting), ada)).ok
		expect(records.map((one) => one.community_member_id)).toEqual(rest.map(({ member }) => member))
		expect(
			await select(world, `select going_count, waitlisted_count from events where id = ${waiting}`),
		).toEqual([{ going_count: PLACES, waitlisted_count: rest.length - PLACES }])
	})

	test('concurrent RSVPs and cancellations leave no place free while members wait', async () => {
		const crowd = await makeCrowd(60)
		const id = await community.event(spaceId, { capacity: 5, waitlist_enabled: 1 })
		for (let round = 0; round < 3; round++)
			await atOnce(crowd.length, (i) =>
				retryOverload(() => world.ask((i + round) % 3 === 0 ? leaveEvent : attendEvent, at(id), crowd[i])),
			)
		const rows = await rsvps(id)
		expect(rows.map(({ status }) => status)).toEqual(rows.map((_, i) => (i < 5 ? 'going' : 'waitlisted')))
		expect(await select(world, `select going_count from events where id = ${id}`)).toEqual([
			{ going_count: 5 },
		])
	})
})
