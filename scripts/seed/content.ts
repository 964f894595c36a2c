import { createSpace, listManagedSpaces } from '#schema/contract/community/manage/spaces.ts'
import { attendEvent, createEvent, listCommunityEvents } from '#schema/contract/community/member/events.ts'
import { createPostComment, listPostComments } from '#schema/contract/community/member/post-comments.ts'
import { react } from '#schema/contract/community/member/post-reactions.ts'
import { createPost, getPost, listSpacePosts } from '#schema/contract/community/member/posts.ts'
import { type DemoMember, events, posts, spaces } from './demo.ts'
import type { Members } from './members.ts'
import type { Report } from './report.ts'
import type { Client } from './session.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const maxPage = { per_page: '100' }

export type ContentParts = { communityId: number; members: Members; report: Report; now: Date }

/** Adds missing spaces, posts and events. Existing ones stay unchanged. */
export async function seedContent(parts: ContentParts): Promise<void> {
	const spaceIds = await seedSpaces(parts)
	const as = (who: DemoMember): Client | undefined => parts.members.get(who)?.inCommunity(parts.communityId)
	for (const post of posts) {
		const spaceId = spaceIds.get(post.space)
		if (spaceId !== undefined) await seedPost(post, spaceId, as, parts.report)
	}
	for (const event of events) {
		const spaceId = spaceIds.get(event.space)
		if (spaceId !== undefined) await seedEvent(event, spaceId, as, parts)
	}
}

async function seedSpaces({ communityId, members, report }: ContentParts): Promise<Map<string, number>> {
	const owner = members.get('ada')
	if (!owner) return new Map()
	const params = { communityId: String(communityId) }
	const { data } = await owner.client.call(listManagedSpaces, { params })
	const ids = new Map(data.map(({ slug, id }) => [slug, id]))
	for (const [position, space] of spaces.entries()) {
		if (ids.has(space.slug)) report.found(`space ${space.name}`)
		else {
			const created = await owner.client.call(createSpace, { params, body: { ...space, position } })
			ids.set(space.slug, created.data.id)
			report.created(`space ${space.name}`)
		}
	}
	return ids
}

type ClientOf = (who: DemoMember) => Client | undefined

async function seedPost(
	post: (typeof posts)[number],
	spaceId: number,
	as: ClientOf,
	report: Report,
): Promise<void> {
	const author = as(post.by)
	if (!author) return
	const params = { spaceId: String(spaceId) }
	const { records } = await author.call(listSpacePosts, { params, query: maxPage })
	const existing = records.find(({ name }) => name === post.name)
	const body = { name: post.name, body: post.body }
	const { id } = existing ?? (await author.call(createPost, { params, body }))
	if (existing) report.found(`post ${post.name}`)
	else report.created(`post ${post.name}`)
	await seedComments(id, post.comments, as, report)
	for (const { by, reaction } of post.reactions) {
		const member = as(by)
		// A member's own reaction is kept.
		if (!member || (await member.call(getPost, { params: { postId: String(id) } })).my_reaction) continue
		await member.call(react, { body: { reactable_type: 'Post', reactable_id: id, reaction } })
		report.created(`reaction ${reaction} to ${post.name}`)
	}
}

async function seedComments(
	postId: number,
	comments: (typeof posts)[number]['comments'],
	as: ClientOf,
	report: Report,
): Promise<void> {
	const params = { postId: String(postId) }
	for (const { by, body } of comments) {
		const author = as(by)
		if (!author) continue
		const { records } = await author.call(listPostComments, { params, query: maxPage })
		if (records.some((comment) => comment.body === body)) continue
		await author.call(createPostComment, { params, body: { body } })
		report.created(`comment ${body}`)
	}
}

async function seedEvent(
	event: (typeof events)[number],
	spaceId: number,
	as: ClientOf,
	{ report, now }: ContentParts,
): Promise<void> {
	const host = as('ada')
	if (!host) return
	const { records } = await host.call(listCommunityEvents, { query: maxPage })
	let id = records.find(({ display_title: title }) => title === event.title)?.id
	if (id !== undefined) report.found(`event ${event.title}`)
	else {
		const startsAt = Math.ceil(now.getTime() / HOUR_MS) * HOUR_MS + event.inDays * DAY_MS
		const { title, description, virtual_location_url } = event
		const body = {
			...{ title, description, virtual_location_url },
			starts_at: new Date(startsAt).toISOString(),
			ends_at: new Date(startsAt + event.hours * HOUR_MS).toISOString(),
		}
		id = (await host.call(createEvent, { params: { spaceId: String(spaceId) }, body })).id
		report.created(`event ${event.title}`)
	}
	for (const who of event.guests) await attend(id, event.title, as(who), report)
}

async function attend(id: number, title: string, guest: Client | undefined, report: Report): Promise<void> {
	const { records } = (await guest?.call(listCommunityEvents, { query: maxPage })) ?? { records: [] }
	const listed = records.find((event) => event.id === id)
	if (!guest || !listed || listed.rsvped_event !== null) return
	await guest.call(attendEvent, { params: { eventId: String(id) } })
	report.created(`guest at ${title}`)
}
