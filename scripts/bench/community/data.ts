/**
 * Fills a database with SQL only. Every value is computed from the row number, so that a benchmark can find rows
 * without queries, and both sizes have the same shape: the seed community has nine tenths of all posts in a hundred
 * spaces. A plain member sees seventy of them, but a third of all posts are in a busy secret space that they can't
 * see. The school has the rest, in two hundred secret spaces, one after the other. Its pupil sees the first one, with
 * the oldest posts of all.
 */
const SPACES = 100
const COHORTS = 200
const FIRST_PRIVATE = 61
const FIRST_HIDDEN = 71
const BUSY_HIDDEN = 81
const PER_MEMBER = 20
/** Member ids: the moderator of the seed community, and the pupil of the school. */
export const MODERATOR = 11
export const PUPIL = 10
/** The first members make the requests; they also have notifications and bookmarks. */
export const CALLERS = 8
const NOTIFICATIONS = 200
const EMOJIS = 5
export type Size = { posts: number; members: number; comments: number; events: number }
export const planCommunitySize = (posts: number): Size => ({
	posts,
	members: posts / 10,
	comments: posts / 2,
	// A calendar returns up to 500 events, so fewer would make the small database cheaper.
	events: Math.max(posts / 200, 1_000),
})

export type CommunityIds = { fixture: number; school: number; now: number }

/** Offset of the ids, far above those that the API assigns. */
const BASE = 10_000_000
/**
 * One of the newest posts, in a space that everyone sees: a fiftieth of all comments and a hundredth of all reactions
 * belong to it.
 */
export const choosePopularPost = ({ posts }: Size): number => posts - 9
export const POPULAR_EVENT = 1

const isSchool = (i: number) => i % 10 === 0
/** Must match `spaceOfPost` below. */
export function chooseSpace(i: number): number {
	const share = (i * 7919) % 100
	if (share < 40) return 1
	if (share < 73) return BUSY_HIDDEN
	return 2 + ((i * 31) % 79)
}
export const isVisible = (i: number): boolean => !isSchool(i) && chooseSpace(i) < FIRST_HIDDEN

const spaceOfPost = `case when (i * 7919) % 100 < 40 then 1 when (i * 7919) % 100 < 73 then ${BUSY_HIDDEN} else 2 + (i * 31) % 79 end`
export const toId = (i: number): number => BASE + i

/** Yields the statements that fill the database, in small batches. Each is idempotent. */
export function* fillStatements(
	{ fixture, school, now }: CommunityIds,
	size: Size,
	batchSize = 10_000,
): Generator<string> {
	const { posts, members, comments, events } = size
	const start = now - posts * 1_000 - 1_000_000
	const at = (i: string) => `${start} + (${i}) / 3 * 3000`
	function* rows(count: number, into: string, select: string) {
		for (let from = 1; from <= count; from += batchSize) {
			const to = Math.min(count, from + batchSize - 1)
			yield `insert or ignore into ${into} with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to}) select ${select} from n`
		}
	}
	const id = (expression: string) => `${BASE} + (${expression})`
	const member = (n: string) => id(`1 + (${n}) % ${members}`)
	const post = (n: string) => id(`1 + (${n}) % ${posts}`)
	const emoji = `substr('👍🎬🔥😀👏', 1 + i % ${EMOJIS}, 1)`

	yield* rows(
		members,
		'users (id, email, name, token_version, is_superadmin, created_at, updated_at)',
		`${id('i')}, 'm' || i || '@many.test', 'Member ' || i, 1, 0, i, i`,
	)
	yield* rows(
		members,
		'memberships (id, community_id, user_id, role, status, index_at, created_at, updated_at)',
		`${id('i')}, case when i % 10 = 0 then ${school} else ${fixture} end, ${id('i')}, case i when ${MODERATOR} then 'moderator' else 'member' end, case when i % 50 = 9 then 'inactive' else 'active' end, null, i, i`,
	)
	yield* rows(
		SPACES,
		'spaces (id, community_id, name, slug, space_type, visibility, position, created_at, updated_at)',
		`${id('i')}, ${fixture}, 'Space ' || i, 'space-' || i, 'basic', case when i < ${FIRST_PRIVATE} then 'public' when i < ${BUSY_HIDDEN} then 'private' else 'secret' end, i, 1, 1`,
	)
	yield* rows(
		COHORTS,
		'spaces (id, community_id, name, slug, space_type, visibility, position, created_at, updated_at)',
		`${id(`${SPACES} + i`)}, ${school}, 'Cohort ' || i, 'cohort-' || i, 'course', 'secret', i, 1, 1`,
	)
	yield `insert or ignore into access_groups (id, community_id, name, status, created_at) values (${id('1')}, ${fixture}, 'Friends', 'active', 1), (${id('2')}, ${school}, 'First cohort', 'active', 1)`
	yield* rows(
		Math.max(MODERATOR, members / 10),
		'access_group_members (access_group_id, membership_id, created_at)',
		`${id('1')}, ${id('i')}, i`,
	)
	yield* rows(
		FIRST_HIDDEN - FIRST_PRIVATE,
		'access_group_spaces (access_group_id, space_id, created_at)',
		`${id('1')}, ${id(`${FIRST_PRIVATE} - 1 + i`)}, i`,
	)
	yield `insert or ignore into access_group_members (access_group_id, membership_id, created_at) values (${id('2')}, ${id(String(PUPIL))}, 1)`
	yield `insert or ignore into access_group_spaces (access_group_id, space_id, created_at) values (${id('2')}, ${id(`${SPACES} + 1`)}, 1)`

	// Authors are assigned by a prime, so that a member has posts of all times.
	yield* rows(
		posts,
		'posts (id, community_id, space_id, author_id, title, body, comments_count, index_at, created_at, updated_at, topics)',
		`${id('i')}, case when i % 10 = 0 then ${school} else ${fixture} end, case when i % 10 = 0 then ${id(`${SPACES} + 1 + (i - 1) * ${COHORTS} / ${posts}`)} else ${BASE} + (${spaceOfPost}) end, ${member('i * 7919')}, 'Title ' || i, 'What word' || (i % 1000) || ' and word' || (i % 77777) || ' are about, said at some length in post ' || i, 0, null, ${at('i')}, ${at('i')}, json_array(${id('1 + i % 50')})`,
	)
	for (const term of ["'what'", "'word' || (i % 1000)", "'word' || (i % 77777)"])
		yield* rows(
			posts,
			'post_terms (community_id, term, post_id)',
			`case when i % 10 = 0 then ${school} else ${fixture} end, ${term}, ${id('i')}`,
		)
	yield* rows(
		posts,
		'post_texts (post_id, community_id, folded)',
		`${id('i')}, case when i % 10 = 0 then ${school} else ${fixture} end, 'what word' || (i % 1000) || ' and word' || (i % 77777) || ' are about, said at some length in post ' || i`,
	)
	for (const term of ["'member'", 'i'])
		yield* rows(
			members,
			'member_terms (community_id, term, membership_id)',
			`case when i % 10 = 0 then ${school} else ${fixture} end, ${term}, ${id('i')}`,
		)
	yield* rows(
		50,
		'tags (id, community_id, name, slug, created_at)',
		`${id('i')}, ${fixture}, 'Tag ' || i, 'tag-' || i, 1`,
	)
	for (let space = 1; space <= SPACES; space++)
		yield `insert or ignore into space_topics (space_id, tag_id, posts_count) select p.space_id, w.value, count(*) from posts p, json_each(p.topics) w where p.space_id = ${BASE + space} group by 1, 2`

	// Every fiftieth comment belongs to the popular post.
	yield* rows(
		comments,
		'post_comments (id, community_id, post_id, parent_id, author_id, body, created_at, updated_at)',
		`${id('i')}, ${fixture}, case when i % 50 = 1 then ${id(String(choosePopularPost(size)))} else ${post('i * 3')} end, null, ${member('i * 31')}, 'Comment ' || i, ${at('i * 2')}, ${at('i * 2')}`,
	)
	for (let from = 1; from <= posts; from += batchSize)
		yield `update posts set comments_count = (select count(*) from post_comments c where c.post_id = posts.id) where id between ${BASE + from} and ${BASE + from + batchSize - 1}`
	yield* rows(
		members * PER_MEMBER,
		'bookmarks (user_id, community_id, post_id, created_at)',
		`${id(`1 + (i - 1) / ${PER_MEMBER}`)}, ${fixture}, ${post(`(i - 1) / ${PER_MEMBER} * 7919 + i % ${PER_MEMBER} * 104729`)}, ${at('i / 2')}`,
	)
	yield* rows(
		members * PER_MEMBER,
		'post_reactions (membership_id, post_id, emoji, created_at)',
		`${id(`1 + (i - 1) / ${PER_MEMBER}`)}, case when i % 100 = 1 then ${id(String(choosePopularPost(size)))} else ${post(`(i - 1) / ${PER_MEMBER} * 6007 + i % ${PER_MEMBER} * 100003`)} end, ${emoji}, ${at('i / 2')}`,
	)
	yield* rows(
		posts / 2,
		'post_followers (user_id, post_id, created_at)',
		`${member('i * 17')}, ${post('i * 2')}, ${at('i * 2')}`,
	)
	yield* rows(
		posts / 10,
		'images (id, community_id, post_id, uploader_id, object_key, content_type, created_at)',
		`${id('i')}, ${fixture}, ${post('i * 10')}, null, 'communities/' || i, 'image/png', 1`,
	)
	yield* rows(
		events,
		'events (id, community_id, space_id, host_id, title, description, starts_at, ends_at, capacity, waitlist_enabled, going_count, created_at, updated_at)',
		`${id('i')}, ${fixture}, ${id('1 + i % 90')}, ${member('i')}, 'Event ' || i, 'We meet', ${at('i / 2 * 100')}, ${at('i / 2 * 100')} + 3600000, 1000000, 1, 0, 1, 1`,
	)
	yield* rows(
		events,
		'events (id, community_id, space_id, title, description, starts_at, ends_at, created_at, updated_at)',
		`${id(`${events} + i`)}, ${school}, ${id(`${SPACES} + 1 + (i - 1) * ${COHORTS} / ${events}`)}, 'Lesson ' || i, '', ${at('-i')}, ${at('-i')}, 1, 1`,
	)
	yield* rows(
		events * PER_MEMBER,
		'event_rsvps (event_id, membership_id, status, created_at, updated_at)',
		`${id(`1 + (i - 1) / ${PER_MEMBER}`)}, ${member(`i * 13`)}, 'going', i, i`,
	)
	yield* rows(
		members / 100,
		'event_rsvps (event_id, membership_id, status, created_at, updated_at)',
		`${id(String(POPULAR_EVENT))}, ${member('i * 11')}, 'going', i, i`,
	)
	yield `update spaces set posts_count = (select count(*) from posts p where p.space_id = spaces.id and p.deleted_at is null)`
	yield `update events set going_count = (select count(*) from event_rsvps r where r.event_id = events.id)`
	yield* rows(
		posts / 2,
		'notifications (membership_id, kind, subject_id, created_at)',
		`case when i <= ${CALLERS * NOTIFICATIONS} then ${id(`1 + i % ${CALLERS}`)} else ${member('i * 7')} end, 'post_reaction', ${post('i * 7')}, ${at('i * 2')}`,
	)
	yield* rows(
		10_000,
		'communities (id, slug, name, created_at, updated_at)',
		`${id('i')}, 'other-' || i, 'Other', 1, 1`,
	)
}
