/** @module-tag d1 */
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import {
	countNotifications,
	listNotifications,
	MAX_COUNTED,
	markAllNotificationsRead,
} from '#schema/contract/community/member/notifications.ts'
import { notificationStore } from '../../../../edge/community/notifications/store.ts'
import { rowsReadBy } from '../../../support/edge/rows-read.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Community, insert, openCommunity, select } from '../community.ts'

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

const OLD = 50_000
const count = async () => (await world.ask(countNotifications, {}, ada)).ok
const notify = async (space = spaceId) =>
	insert(world, 'notifications', {
		membership_id: ada.memberId,
		kind: 'post_reaction',
		subject_id: await community.post(space),
		created_at: world.now,
	})
/** Inserts notifications about different posts that don't exist, read or not. */
const insertOld = (number: number, readAt: number | null) =>
	select(
		world,
		`insert into notifications (membership_id, kind, subject_id, created_at, read_at)
		with recursive n(i) as (select 1 union all select i + 1 from n where i < ${number})
		select ${ada.memberId}, 'post_reaction', 1000000 + i, i, ${readAt} from n`,
	)
const viewer = () => ({
	userId: ada.userId,
	membershipId: ada.memberId,
	communityId: community.id,
	role: 'member' as const,
	now: world.now,
})
const rowsOfCount = () => rowsReadBy((db) => notificationStore(db).countUnread(viewer(), MAX_COUNTED))
const rowsOfList = () => rowsReadBy((db) => notificationStore(db).list(viewer(), 'unread', 20, null))

test('counts unread notifications up to a cap, and reports that there are more', async () => {
	for (let i = 0; i < MAX_COUNTED; i++) await notify()
	expect(await count()).toEqual({ unread: MAX_COUNTED, has_more: false })
	await notify()
	expect(await count()).toEqual({ unread: MAX_COUNTED, has_more: true })
	await world.ask(markAllNotificationsRead, {}, ada)
	expect(await count()).toEqual({ unread: 0, has_more: false })
})

test('unread notifications about invisible content are not counted', async () => {
	await notify()
	await notify(await community.space({ visibility: 'secret' }))
	expect(await count()).toEqual({ unread: 1, has_more: false })
})

describe('with 50,000 old notifications', { tags: 'd1' }, () => {
	beforeEach(({ skip }) => skip(env.LIBSQL_BASE !== undefined, 'only D1 says how many rows it reads'))

	test('neither the count nor the list of unread notifications scans 50,000 read ones', async () => {
		for (let i = 0; i < 3; i++) await notify()
		const [counted, listed] = [await rowsOfCount(), await rowsOfList()]
		await insertOld(OLD, 1)
		expect(await count()).toEqual({ unread: 3, has_more: false })
		expect([await rowsOfCount(), await rowsOfList()]).toEqual([counted, listed])
		expect(counted).toBeLessThan(50)
		expect(
			(await world.ask(listNotifications, { query: { status: 'unread' } }, ada)).ok.records,
		).toHaveLength(3)
	})

	test('the count scans only the newest unread notifications, however many were never read', async () => {
		await insertOld(OLD, null)
		await notify()
		expect(await count()).toEqual({ unread: 1, has_more: true })
		expect(await rowsOfCount()).toBeLessThan(10 * MAX_COUNTED)
	})
})
