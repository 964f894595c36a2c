import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBookmark, listBookmarks, listSpaceBookmarks } from '#schema/contract/community/bookmarks.ts'
import {
	attendEvent,
	getEvent,
	listAttendees,
	listCommunityEvents,
} from '#schema/contract/community/events.ts'
import { listPostFollowers } from '#schema/contract/community/followers.ts'
import { listPostComments, listReplies } from '#schema/contract/community/post-comments.ts'
import { react } from '#schema/contract/community/post-reactions.ts'
import { getPost, listHomePosts, listSpacePosts } from '#schema/contract/community/posts.ts'
import { getSpace, listMemberSpaces, listSpaces, listTopics } from '#schema/contract/community/spaces.ts'
import { openWorld } from '../world.ts'
import { insert, openCommunity } from './community.ts'

const PEOPLE = 4
const COMMUNITIES = 2
const index = (below: number) => fc.nat({ max: below - 1 })

const Model = fc.record({
	members: fc.array(
		fc.record({
			role: fc.constantFrom('owner', 'admin', 'moderator', 'member'),
			status: fc.constantFrom('active', 'active', 'active', 'invited', 'inactive', 'banned'),
		}),
		{ minLength: PEOPLE * COMMUNITIES, maxLength: PEOPLE * COMMUNITIES },
	),
	spaces: fc.array(
		fc.record({ at: index(COMMUNITIES), visibility: fc.constantFrom('public', 'private', 'secret') }),
		{ minLength: 3, maxLength: 6 },
	),
	groups: fc.array(
		fc.record({
			at: index(COMMUNITIES),
			status: fc.constantFrom('active', 'active', 'archived'),
			people: fc.uniqueArray(fc.record({ who: index(PEOPLE), ends: fc.constantFrom(null, -1, 1) }), {
				selector: ({ who }) => who,
				maxLength: PEOPLE,
			}),
			spaces: fc.uniqueArray(index(6), { maxLength: 6 }),
		}),
		{ maxLength: 4 },
	),
})

test('what any member can reach is what a simple reading of the rules says, nothing less and nothing more', async () => {
	await fc.assert(
		fc.asyncProperty(Model, async (model) => {
			const world = await openWorld()
			const people = []
			for (let i = 0; i < PEOPLE; i++) people.push(await world.person())
			const places = [await openCommunity(world, 'a'), await openCommunity(world, 'b')]
			const memberIds: number[] = []
			for (const [i, member] of model.members.entries()) {
				const place = places[i % COMMUNITIES]
				const person = people[Math.floor(i / COMMUNITIES)]
				if (place && person) memberIds.push((await place.join(person, member)).memberId)
			}
			const memberOf = (who: number, at: number) => who * COMMUNITIES + at
			type Thing = {
				at: number
				id: number
				postId: number
				eventId: number
				commentId: number
				visibility: string
			}
			const things: Thing[] = []
			for (const { at, visibility } of model.spaces) {
				const place = places[at] as (typeof places)[number]
				const id = await place.space({ visibility })
				const postId = await place.post(id)
				const times = { created_at: 1, updated_at: 1 }
				const comment = { community_id: place.id, post_id: postId, body: 'c', ...times }
				const commentId = await insert(world, 'post_comments', comment)
				things.push({ at, visibility, id, postId, eventId: await place.event(id), commentId })
			}
			const groups = model.groups.map((group) => ({
				...group,
				spaces: group.spaces.filter((i) => things[i]?.at === group.at),
			}))
			for (const group of groups)
				for (const { who, ends } of group.people) {
					const place = places[group.at] as (typeof places)[number]
					await place.grant(
						[memberIds[memberOf(who, group.at)] as number],
						group.spaces.map((i) => (things[i] as Thing).id),
						{ status: group.status, ...(ends !== null && { expiresAt: world.now + ends * 1_000_000 }) },
					)
				}

			// The oracle: the rules once more, as plainly as they can be said.
			const sees = (who: number, at: number, i: number): boolean => {
				const member = model.members[memberOf(who, at)]
				const thing = things[i]
				if (!member || !thing || thing.at !== at || member.status !== 'active') return false
				if (member.role === 'owner' || member.role === 'admin' || thing.visibility === 'public') return true
				return groups.some(
					(group) =>
						group.status === 'active' &&
						group.spaces.includes(i) &&
						group.people.some((one) => one.who === who && one.ends !== -1),
				)
			}

			for (const [who, person] of people.entries()) {
				// Bookmarks from before whatever took the access away: kept, but not shown.
				for (const { at, postId } of things)
					await insert(world, 'bookmarks', {
						user_id: person.userId,
						community_id: (places[at] as (typeof places)[number]).id,
						post_id: postId,
						created_at: 1,
					})
				for (const [at, place] of places.entries()) {
					const as = { token: person.token, headers: place.headers }
					const isActive = model.members[memberOf(who, at)]?.status === 'active'
					const visible = things.filter((_, i) => sees(who, at, i))
					const list = await world.ask(listSpaces, {}, as)
					expect(list.status).toBe(isActive ? 200 : 403)
					if (!isActive) continue
					const sorted = (numbers: number[]) => numbers.toSorted((a, b) => a - b)
					expect(sorted(list.ok.records.map(({ id }) => id))).toEqual(visible.map(({ id }) => id))
					const calendar = await world.ask(listCommunityEvents, { query: {} }, as)
					expect(sorted(calendar.ok.records.map(({ id }) => id))).toEqual(
						visible.map(({ eventId }) => eventId),
					)
					expect(calendar.ok.count).toBe(visible.length)
					const home = await world.ask(listHomePosts, { query: {} }, as)
					expect(sorted(home.ok.records.map(({ id }) => id))).toEqual(visible.map(({ postId }) => postId))
					const marks = await world.ask(listBookmarks, { query: {} }, as)
					expect(sorted(marks.ok.records.map((mark) => mark.record_id))).toEqual(
						visible.map(({ postId }) => postId),
					)
					expect(marks.ok.count).toBe(visible.length)
					for (let other = 0; other < PEOPLE; other++) {
						const memberId = String(memberIds[memberOf(other, at)])
						const shared = await world.ask(listMemberSpaces, { params: { memberId } }, as)
						expect(sorted(shared.ok.records.map(({ id }) => id))).toEqual(
							things.filter((_, i) => sees(who, at, i) && sees(other, at, i)).map(({ id }) => id),
						)
					}
					for (const [i, thing] of things.entries()) {
						const status = sees(who, at, i) ? 200 : 404
						const bySpace = { params: { spaceId: String(thing.id) } }
						const byPost = { params: { postId: String(thing.postId) } }
						const byEvent = { params: { eventId: String(thing.eventId) } }
						const statuses = [
							await world.ask(getSpace, bySpace, as),
							await world.ask(listTopics, bySpace, as),
							await world.ask(listSpaceBookmarks, bySpace, as),
							await world.ask(listPostFollowers, byPost, as),
							await world.ask(listAttendees, byEvent, as),
							await world.ask(getEvent, byEvent, as),
							await world.ask(getPost, byPost, as),
							await world.ask(listSpacePosts, { ...bySpace, query: {} }, as),
							await world.ask(listPostComments, { ...byPost, query: {} }, as),
							await world.ask(listReplies, { params: { commentId: String(thing.commentId) }, query: {} }, as),
							await world.ask(attendEvent, byEvent, as),
							await world.ask(createBookmark, { body: { bookmarkable_id: thing.postId } }, as),
							await world.ask(react, { body: { reactable_type: 'Post', reactable_id: thing.postId } }, as),
						].map((answer) => answer.status)
						expect(new Set(statuses)).toEqual(new Set([status]))
					}
				}
			}
		}),
		{ numRuns: 8 },
	)
})
