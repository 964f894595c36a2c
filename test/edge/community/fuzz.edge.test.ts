import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { DAY } from '../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../support/edge/world.ts'
import { type Chooser, chooserFrom } from '../../support/shared/random.ts'
import { type Community, insert, openCommunity } from './community.ts'
import { compareAllReach } from './reach.ts'

/** npm run prove -- community runs many seeds; each has its own world. */
const seeds = env.PROOF_SEEDS ? Array.from({ length: Number(env.PROOF_SEEDS) }, (_, i) => i + 1) : [1]
const MISSING_USER_ID = 424_242
/** Cancelled events have ids above those of existing events. */
const FIRST_CANCELLED_ID = 900_000

test.each(seeds)(
	'every request to a random community gets the predicted response of the oracle (seed %i)',
	async (seed) => {
		const world = await openWorld()
		const people = await makeWorld(world, chooserFrom(seed))
		// The sweep indexes rows that the test inserts directly into the tables.
		await world.cron('* * * * *')
		await world.deliver()
		expect(await compareAllReach(world, people)).toBeGreaterThan(500)
	},
)

async function makeWorld(world: World, chooser: Chooser): Promise<Person[]> {
	const people: Person[] = []
	for (let i = 0; i < 3; i++)
		people.push(await world.person({ name: `${chooser.pick('Ada', 'Bo 👩‍🚀', 'Ç')} ${i}` }))
	for (const slug of ['first', 'second']) people.push(await makeCommunity(world, slug, people, chooser))
	return people
}

/** Creates a random community. Times are close together, to produce ties. */
async function makeCommunity(
	world: World,
	slug: string,
	people: Person[],
	chooser: Chooser,
): Promise<Person> {
	const { pick, one, below, chance, some } = chooser
	const community = await openCommunity(world, slug)
	const at = () => world.now - DAY + below(4)
	const times = () => ({ created_at: at(), updated_at: at() })
	const field = {
		community_id: community.id,
		label: 'L',
		field_type: 'text',
		required: 0,
		options: '[]',
		created_at: 1,
	}
	await insert(world, 'profile_fields', { ...field, key: 'b', position: 2 })
	const fieldId = await insert(world, 'profile_fields', { ...field, key: 'a', position: 1 })
	const memberIds: number[] = [community.owner.memberId]
	// Every world has each kind of role, space and group, so that it covers every rule.
	const roles = ['admin', 'moderator', 'member'] as const
	for (const [i, person] of people.entries()) {
		if (!roles[i] && chance(0.15)) continue
		const role = roles[i] ?? pick('member', 'member', 'moderator', 'moderator', 'admin')
		const status = roles[i] || chance(0.75) ? 'active' : pick('invited', 'inactive', 'banned')
		const profile = JSON.stringify({ [fieldId]: pick<string | number>('Films', 7) })
		const avatar = chance(0.5) && { avatar_url: 'https://example.org/a.png' }
		const more = { role, status, profile, ...avatar, ...(chance(0.3) && { name: `Called ${i}` }) }
		memberIds.push((await community.join(person, more)).memberId)
	}
	const authors = [...people.map(({ userId }) => userId), community.owner.userId, MISSING_USER_ID, null]
	const author = () => one(authors) ?? null
	const text = () =>
		pick('word ', '👩‍🚀', 'é', '\n', '日本')
			.repeat(1 + below(80))
			.trim() || 'x'
	const deletion = () => {
		const deleted_at = chance(0.2) ? at() : null
		return { deleted_at, hidden_at: deleted_at !== null && chance(0.5) ? deleted_at : null }
	}

	const spaceIds: number[] = []
	const visibilities = ['public', 'private', 'secret', ...some(['public', 'private', 'secret'], 0.3)]
	for (const visibility of visibilities)
		spaceIds.push(
			await community.space({
				visibility,
				position: below(2),
				post_policy: pick('everyone', 'moderators', 'admins', 'nobody'),
				comment_policy: pick('everyone', 'moderators', 'admins', 'nobody'),
			}),
		)
	await makeGroups(world, community, memberIds, spaceIds, chooser)
	// No access group opens these spaces.
	for (const visibility of ['private', 'secret']) spaceIds.push(await community.space({ visibility }))
	const tagIds: number[] = []
	for (const name of ['a', 'b'])
		tagIds.push(await insert(world, 'tags', { community_id: community.id, name, slug: name, created_at: 1 }))

	const postIds: number[] = []
	const targets: { post_id?: number; comment_id?: number; image_id?: number }[] = []
	for (let i = 0; i < 4 + below(3); i++) {
		const post = { author_id: author(), title: chance(0.5) ? text().slice(0, 20) : null, body: text() }
		const topics = JSON.stringify(some(tagIds, 0.5))
		const columns = { ...post, topics, ...times(), ...deletion() }
		const postId = await community.post(one(spaceIds) as number, columns)
		postIds.push(postId)
		targets.push({ post_id: postId })
		if (chance(0.3)) targets.push({ image_id: await makeImage(world, community.id, postId) })
	}
	const commentIds: number[] = []
	for (let i = 0; i < 4 + below(3); i++) {
		const postId = one(postIds) as number
		const comment = { community_id: community.id, post_id: postId, author_id: author(), body: text() }
		const id = await insert(world, 'post_comments', { ...comment, ...times(), ...deletion() })
		commentIds.push(id)
		targets.push({ comment_id: id })
		for (let reply = below(2); reply > 0; reply--) {
			const more = { parent_id: id, body: text(), author_id: author() }
			commentIds.push(
				await insert(world, 'post_comments', { ...comment, ...more, ...times(), ...deletion() }),
			)
		}
	}
	const eventIds: number[] = []
	for (let i = 0; i < 2 + below(2); i++) {
		const starts_at = world.now + pick(-100 * DAY, 0, 0, DAY)
		const place = {
			in_person_location: chance(0.5) ? 'Here' : null,
			virtual_url: chance(0.5) ? 'https://x.test/' : null,
		}
		const event = {
			host_id: author(),
			starts_at,
			ends_at: starts_at + 1,
			created_at: at(),
			capacity: pick(null, 2),
			...place,
		}
		eventIds.push(await community.event(chance(0.1) ? null : (one(spaceIds) as number), event))
	}

	const cancelledIds: number[] = []
	for (const space_id of some(spaceIds, 0.5)) {
		const id = FIRST_CANCELLED_ID + space_id
		const event = { id, community_id: community.id, space_id, title: text(), created_at: at() }
		cancelledIds.push(await insert(world, 'cancelled_events', event))
	}

	const usedKeys = new Set<string>()
	const isFirst = (...key: unknown[]) => usedKeys.size < usedKeys.add(key.join()).size
	for (const target of targets)
		for (const membership_id of some(memberIds, 0.4))
			await insert(world, 'post_reactions', {
				membership_id,
				...target,
				emoji: pick('like', '🎬', '🎉'),
				created_at: at(),
			})
	for (const user_id of [...people.map(({ userId }) => userId), community.owner.userId])
		for (const post_id of some(postIds, 0.5)) {
			await insert(world, 'bookmarks', { user_id, community_id: community.id, post_id, created_at: at() })
			await insert(world, 'post_followers', {
				user_id,
				post_id,
				created_at: at(),
				unfollowed_at: pick(null, null, at()),
			})
		}
	for (const event_id of eventIds)
		for (const membership_id of some(memberIds, 0.5)) {
			const status = pick('going', 'going', 'waitlisted')
			await insert(world, 'event_rsvps', { event_id, membership_id, status, ...times() })
		}
	const kinds = [
		'post_comment',
		'comment_reply',
		'followed_post_comment',
		'comment_reaction',
		'comment_hidden',
		'comment_restored',
	] as const
	for (const membership_id of memberIds)
		for (let i = 0; i < 6; i++) {
			const [kind, ids] = pick(
				...(kinds.map((name) => [name, commentIds] as [string, number[]]) as [
					[string, number[]],
					...[string, number[]][],
				]),
				['post_reaction', postIds],
				['post_hidden', postIds],
				['post_restored', postIds],
				['event_changed', eventIds],
				['event_place', eventIds],
				['event_cancelled', cancelledIds],
			)
			const subject_id = one(ids) ?? 0
			if (isFirst(membership_id, kind, subject_id))
				await insert(world, 'notifications', {
					membership_id,
					kind,
					subject_id,
					actor_id: author(),
					read_at: chance(0.3) ? at() : null,
					created_at: at(),
				})
		}
	for (let i = 0; i < 5; i++) {
		const target = chance(0.5)
			? { post_id: one(postIds) as number }
			: { comment_id: one(commentIds) as number }
		const membership_id = one(memberIds) as number
		if (isFirst('flag', membership_id, JSON.stringify(target)))
			await insert(world, 'flags', {
				community_id: community.id,
				membership_id,
				reason: 'Why',
				dismissed_at: chance(0.2) ? at() : null,
				created_at: at(),
				...target,
			})
	}
	await setCounters(world)
	return community.owner
}

async function makeGroups(
	world: World,
	community: Community,
	memberIds: number[],
	spaceIds: number[],
	{ some, pick }: Chooser,
): Promise<void> {
	const statuses = ['archived', 'active', ...some(['active', 'archived'], 0.5)]
	for (const status of statuses) {
		const group = await insert(world, 'access_groups', {
			community_id: community.id,
			name: 'G',
			status,
			created_at: 1,
		})
		for (const membership_id of some(memberIds, 0.6)) {
			const expires_at = pick(null, null, world.now - 1, world.now + DAY)
			await insert(world, 'access_group_members', {
				access_group_id: group,
				membership_id,
				expires_at,
				created_at: 1,
			})
		}
		for (const space_id of some(spaceIds, 0.5))
			await insert(world, 'access_group_spaces', { access_group_id: group, space_id, created_at: 1 })
	}
}

async function makeImage(world: World, communityId: number, postId: number): Promise<number> {
	const object_key = `communities/${communityId}/images/${crypto.randomUUID()}.png`
	await world.deps(({ objects }) =>
		objects.vault.put(object_key, new Uint8Array([1]), { contentType: 'image/png' }),
	)
	const image = {
		community_id: communityId,
		post_id: postId,
		object_key,
		content_type: 'image/png',
		created_at: 1,
	}
	return insert(world, 'images', image)
}

/** Sets the counters that the API would have maintained. */
async function setCounters(world: World): Promise<void> {
	for (const sql of [
		`update posts set comments_count = (select count(*) from post_comments c where c.post_id = posts.id and c.deleted_at is null) returning 1`,
		`update post_comments set replies_count = (select count(*) from post_comments c where c.parent_id = post_comments.id and c.deleted_at is null) returning 1`,
		...[
			['posts', 'post_id'],
			['post_comments', 'comment_id'],
			['images', 'image_id'],
		].map(
			([table, column]) =>
				`update ${table} set reactions = (select json_group_object(n.emoji, n.count) from (select r.emoji, count(*) as count from post_reactions r where r.${column} = ${table}.id group by r.emoji) n) returning 1`,
		),
		`update events set going_count = (select count(*) from event_rsvps r where r.event_id = events.id and r.status = 'going') returning 1`,
		`update events set waitlisted_count = (select count(*) from event_rsvps r where r.event_id = events.id and r.status = 'waitlisted') returning 1`,
		`update spaces set posts_count = (select count(*) from posts p where p.space_id = spaces.id and p.deleted_at is null) returning 1`,
		`insert or replace into space_topics (space_id, tag_id, posts_count) select p.space_id, w.value, count(*) from posts p, json_each(p.topics) w where p.deleted_at is null group by 1, 2 returning 1`,
	])
		await world.deps(({ db }) => db.all(sql))
}
