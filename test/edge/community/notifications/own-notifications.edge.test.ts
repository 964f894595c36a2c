import { beforeEach, expect, test } from 'vitest'
import { countNotifications, listNotifications } from '#schema/contract/community/member/notifications.ts'
import * as own from '#schema/contract/community/member/own-notifications.ts'
import { createPostComment } from '#schema/contract/community/member/post-comments.ts'
import { createPost } from '#schema/contract/community/member/posts.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Community, insert, openCommunity, select } from '../community.ts'

let world: World
let community: Community
let ada: Awaited<ReturnType<Community['member']>>
let bo: Awaited<ReturnType<Community['member']>>
let post: { params: { postId: string } }
beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
	ada = await community.member()
	bo = await community.member()
	const params = { spaceId: String(await community.space()) }
	const created = await world.ask(createPost, { params, body: { body: 'Post' } }, ada)
	post = { params: { postId: String(created.ok.id) } }
})

async function comment() {
	await world.ask(createPostComment, { ...post, body: { body: 'Hello' } }, bo)
	await world.deliver()
}
const list = async (status: 'all' | 'read' | 'unread' | 'archived') =>
	(await world.ask(listNotifications, { query: { status } }, ada)).ok.records
const countNew = async () => (await world.ask(own.countNewNotifications, {}, ada)).ok.new_notifications_count
const first = async () => ({ params: { notificationId: String((await list('all'))[0]?.id) } })

test('the number of new notifications is reset without reading them, and counts later ones', async () => {
	expect(await countNew()).toBe(0)
	await comment()
	await comment()
	expect(await countNew()).toBe(2)
	expect((await world.ask(own.resetNewNotifications, {}, ada)).ok.new_notifications_count).toBe(0)
	expect(await countNew()).toBe(0)
	expect((await world.ask(countNotifications, {}, ada)).ok.unread).toBe(2)
	await comment()
	expect(await countNew()).toBe(1)
})

test('counting new notifications uses the index of unread ones, however many there are', async () => {
	const { statements } = await world.ask(own.countNewNotifications, {}, ada)
	await world.deps(({ db }) =>
		db.all(
			`insert into notifications (membership_id, kind, subject_id, created_at) with recursive n(i) as (select 1 union all select i + 1 from n where i < 500) select ${ada.memberId}, 'post_reaction', ${post.params.postId}, i from n where true on conflict do nothing returning 1`,
		),
	)
	const many = await world.ask(own.countNewNotifications, {}, ada)
	expect(many.statements.length).toBe(statements.length)
	const plan = await world.plan(String(many.statements.at(-1)))
	expect(plan.join('\n')).toContain('notifications_unread_list')
})

test('a notification can be read alone', async () => {
	await comment()
	const [listed] = await list('all')
	expect((await world.ask(own.getNotification, await first(), ada)).ok).toEqual(listed)
	expect((await world.ask(own.getNotification, await first(), bo)).status).toBe(404)
})

test('an archived notification is read, and listed only among the archived ones', async () => {
	await comment()
	await comment()
	const at = await first()
	for (let i = 0; i < 2; i++) expect((await world.ask(own.archiveNotification, at, ada)).status).toBe(200)
	expect((await list('archived')).map(({ id }) => id)).toEqual([Number(at.params.notificationId)])
	for (const status of ['all', 'unread'] as const) expect(await list(status)).toHaveLength(1)
	expect(await list('read')).toEqual([])
	expect((await world.ask(own.archiveNotification, at, bo)).status).toBe(404)
	const [row] = await select<{ read_at: number }>(
		world,
		`select read_at from notifications where archived_at is not null`,
	)
	expect(row?.read_at).toBeGreaterThan(0)
})

test('something new after a notification was archived is a notification of its own', async () => {
	const reaction = async () => {
		const row = { membership_id: bo.memberId, post_id: Number(post.params.postId), emoji: 'like' }
		await insert(world, 'post_reactions', { ...row, created_at: world.now, notify_at: world.now })
		await world.cron('* * * * *')
		await world.deliver()
	}
	await reaction()
	await world.ask(own.archiveNotification, await first(), ada)
	await select(world, 'delete from post_reactions returning 1')
	await reaction()
	expect([(await list('all')).length, (await list('archived')).length]).toEqual([1, 1])
})

test('a deleted notification is gone, and others stay', async () => {
	await comment()
	await comment()
	const at = await first()
	expect((await world.ask(own.deleteNotification, at, bo)).status).toBe(404)
	expect((await world.ask(own.deleteNotification, at, ada)).status).toBe(200)
	expect((await world.ask(own.deleteNotification, at, ada)).status).toBe(404)
	expect(await list('all')).toHaveLength(1)
})
