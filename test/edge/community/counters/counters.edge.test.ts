import { expect, test } from 'vitest'
import { openWorld } from '../../../support/edge/world.ts'
import { insert, openCommunity, select } from '../community.ts'

test('corrects wrong counters of communities in bounded steps and leaves correct ones unchanged', async () => {
	const world = await openWorld()
	const fixture = await openCommunity(world)
	const spaceId = await fixture.space({ posts_count: 4 })
	const eventId = await fixture.event(spaceId, { going_count: 9, waitlisted_count: 9 })
	const rsvp = { event_id: eventId, created_at: 1, updated_at: 1 }
	await insert(world, 'event_rsvps', { ...rsvp, membership_id: 1, status: 'going' })
	for (const membership_id of [2, 3])
		await insert(world, 'event_rsvps', { ...rsvp, membership_id, status: 'waitlisted' })
	const postId = await fixture.post(spaceId, { comments_count: 7, topics: '[1]' })
	const times = { created_at: 1, updated_at: 1 }
	const comment = { community_id: fixture.id, post_id: postId, body: 'x', ...times }
	const hidden = await fixture.post(spaceId, { comments_count: 7, deleted_at: 1, hidden_at: 1 })
	await insert(world, 'post_comments', { ...comment, post_id: hidden })
	const reaction = { membership_id: 1, created_at: 1 }
	await insert(world, 'post_reactions', { ...reaction, post_id: postId, emoji: 'like' })
	await insert(world, 'post_reactions', { ...reaction, membership_id: 2, post_id: postId, emoji: '👍' })
	const inOrderOfUse = await fixture.post(spaceId, { reactions: '{"like":1,"👍":1}' })
	for (const [membership_id, emoji] of [
		[1, 'like'],
		[2, '👍'],
	] as const)
		await insert(world, 'post_reactions', { ...reaction, membership_id, post_id: inOrderOfUse, emoji })
	const image = { community_id: fixture.id, post_id: postId, object_key: 'k', content_type: 'image/png' }
	const imageId = await insert(world, 'images', { ...image, created_at: 1, reactions: '{"like":4}' })
	const parent_id = await insert(world, 'post_comments', { ...comment, replies_count: -1 })
	await insert(world, 'post_reactions', { ...reaction, comment_id: parent_id, emoji: '🔥' })
	for (const deleted_at of [null, 1])
		await insert(world, 'post_comments', { ...comment, parent_id, deleted_at })
	for (const tag_id of [1, 2])
		await insert(world, 'space_topics', { space_id: spaceId, tag_id, posts_count: 3 })
	await select(
		world,
		`insert into posts (community_id, space_id, body, comments_count, created_at, updated_at) with recursive n(i) as (select 1 union all select i + 1 from n where i < 1500) select ${fixture.id}, ${spaceId}, 'b', case when i > 1400 then 5 else 0 end, i, i from n returning 1`,
	)
	const wrongPosts = async () =>
		(await select<{ n: number }>(world, 'select count(*) as n from posts where comments_count = 5'))[0]?.n
	const counters = async () => [
		await select(world, `select going_count as n from events where id = ${eventId}`),
		await select(world, `select waitlisted_count as n from events where id = ${eventId}`),
		await select(world, `select posts_count as n from spaces where id = ${spaceId}`),
		await select(world, `select comments_count as n from posts where id = ${postId}`),
		await select(world, `select comments_count as n from posts where id = ${hidden}`),
		await select(world, `select replies_count as n from post_comments where id = ${parent_id}`),
		await select(world, 'select posts_count as n from space_topics order by tag_id'),
		await select(world, `select reactions as n from posts where id in (${postId}, ${inOrderOfUse})`),
		await select(world, `select reactions as n from images where id = ${imageId}`),
		await select(world, `select reactions as n from post_comments where id = ${parent_id}`),
	]
	const correct = [
		[{ n: 1 }],
		[{ n: 2 }],
		// Two visible posts and 1,500 more; the hidden post is not counted.
		[{ n: 1_502 }],
		[{ n: 2 }],
		[{ n: 1 }],
		[{ n: 1 }],
		[{ n: 1 }, { n: 0 }],
		[{ n: '{"like":1,"👍":1}' }, { n: '{"like":1,"👍":1}' }],
		[{ n: '{}' }],
		[{ n: '{"🔥":1}' }],
	]
	await world.cron('*/10 * * * *')
	expect([await counters(), await wrongPosts()]).toEqual([correct, 100])
	await world.cron('*/10 * * * *')
	expect(await wrongPosts()).toBe(0)
	// One run finds the end of the table; the next one starts over.
	await select(world, `update posts set comments_count = 8 where id = ${postId} returning 1`)
	await world.cron('*/10 * * * *')
	await world.cron('*/10 * * * *')
	expect(await counters()).toEqual(correct)
	world.statements.length = 0
	await world.cron('*/10 * * * *')
	const repairs = world.statements.filter((sql) => sql.includes('counter_repairs'))
	for (const sql of repairs) {
		const scans = (await world.plan(sql)).filter((line) =>
			/^SCAN (?!CONSTANT ROW|\(|\w VIRTUAL TABLE INDEX)/.test(line),
		)
		expect(scans, sql).toEqual([])
	}
})
