import { beforeEach, describe, expect, test } from 'vitest'
import * as events from '#schema/contract/community/member/events.ts'
import type { World } from '../../../support/edge/world.ts'
import { type Community, envelope, openCommunity, openHeadless, select } from '../community.ts'

let world: World
let community: Community
let ada: Awaited<ReturnType<Community['member']>>
let spaceId: number
beforeEach(async () => {
	;({ world, community, ada, spaceId } = await openHeadless())
})

const iso = (at: number) => new Date(at).toISOString()

describe('events', () => {
	const params = (eventId: number) => ({ params: { eventId: String(eventId) } })
	const list = (query = {}, who = ada) => world.ask(events.listCommunityEvents, { query }, who)
	const attend = (eventId: number, who = ada) => world.ask(events.attendEvent, params(eventId), who)
	const leave = (eventId: number, who = ada) => world.ask(events.leaveEvent, params(eventId), who)
	const rsvps = () =>
		select<{ membership_id: number; status: string }>(
			world,
			'select membership_id, status from event_rsvps order by id',
		)

	test('lists events as specified, earliest first', async () => {
		const now = world.now
		const later = await community.event(spaceId, {
			starts_at: now + 9_000,
			virtual_url: 'https://meet.example.org',
		})
		const first = await community.event(spaceId, {
			starts_at: now,
			in_person_location: 'Here',
			host_id: null,
		})
		const tie = await community.event(spaceId, { starts_at: now + 9_000 })
		await community.event(null)
		const { ok } = await list()
		expect(ok.records.map(({ id }) => id)).toEqual([first, later, tie])
		expect(ok).toMatchObject({ page: 1, per_page: 20, count: 3, page_count: 1, has_next_page: false })
		expect(ok.records[1]).toEqual({
			id: later,
			display_title: 'Meeting',
			slug: String(later),
			body_plain_text: 'We meet',
			url: `/events/${later}`,
			created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
			event_type: 'virtual',
			rsvp_count: 0,
			waitlisted_count: 0,
			capacity: null,
			waitlist_enabled: false,
			rsvped_event: null,
			event_setting_attributes: {
				starts_at: iso(now + 9_000),
				ends_at: expect.any(String),
				in_person_location: null,
				virtual_location_url: 'https://meet.example.org',
				rsvp_limit: null,
			},
			space: { id: spaceId, name: 'General', slug: 'general' },
			author: {
				id: community.owner.userId,
				community_member_id: community.owner.memberId,
				name: expect.any(String),
				avatar_url: null,
				role: 'owner',
				headline: null,
			},
		})
		expect(ok.records[0]).toMatchObject({
			event_type: 'in_person',
			author: null,
			event_setting_attributes: { in_person_location: 'Here', virtual_location_url: null },
		})
		const pages = await Promise.all(['1', '2'].map((page) => list({ page, per_page: '2' })))
		expect(pages.map(({ ok: page }) => page.records.map(({ id }) => id))).toEqual([[first, later], [tie]])
	})

	test('shows an event without an author after its host is deleted', { tags: 'd1' }, async () => {
		await community.event(spaceId, { host_id: 424_242 })
		expect((await list()).ok.records[0]?.author).toBeNull()
	})

	test('attends and leaves an event and shows the RSVP', async () => {
		const id = await community.event(spaceId)
		for (let i = 0; i < 2; i++) {
			const { status, ok } = await attend(id)
			expect([status, ok]).toEqual([200, { success: true, rsvp_status: 'going' }])
		}
		expect((await list()).ok.records[0]).toMatchObject({ rsvp_count: 1, rsvped_event: 'going' })
		expect((await list({}, community.owner)).ok.records[0]).toMatchObject({
			rsvp_count: 1,
			rsvped_event: null,
		})
		const [row] = await select<{ created_at: number }>(world, 'select created_at from event_rsvps')
		expect((await world.ask(events.listAttendees, params(id), ada)).ok).toEqual(
			envelope([
				{
					id: 1,
					community_member_id: ada.memberId,
					avatar_url: 'https://example.org/ada.png',
					rsvp_date: iso(row?.created_at ?? 0),
					rsvp_status: 'going',
					name: expect.any(String),
				},
			]),
		)
		for (let i = 0; i < 2; i++) {
			const { status, ok } = await leave(id)
			expect([status, ok]).toEqual([200, { success: true }])
		}
		expect((await list()).ok.records[0]).toMatchObject({ rsvp_count: 0, rsvped_event: null })
	})

	test('a free place at an event goes to the member who has waited longest', { tags: 'd1' }, async () => {
		const id = await community.event(spaceId, { capacity: 1, waitlist_enabled: 1 })
		const [b, c, d] = [await community.member(), await community.member(), await community.member()]
		for (const who of [ada, b, c, d]) await attend(id, who)
		expect((await list({}, c)).ok.records[0]).toMatchObject({ rsvp_count: 1, rsvped_event: 'waitlisted' })
		await attend(id, b)
		await leave(id, c)
		await leave(id, ada)
		const status = (who: { memberId: number }, as: string) => ({ membership_id: who.memberId, status: as })
		expect(await rsvps()).toEqual([status(b, 'going'), status(d, 'waitlisted')])
		await attend(id, ada)
		await leave(id, b)
		expect(await rsvps()).toEqual([status(d, 'going'), status(ada, 'waitlisted')])
		expect((await list()).ok.records[0]?.rsvp_count).toBe(1)
	})

	test('refuses an RSVP to a past event, but lets attendees repeat and cancel theirs', {
		tags: 'd1',
	}, async () => {
		const id = await community.event(spaceId, { capacity: 1, waitlist_enabled: 1 })
		const [waiting, late] = [await community.member(), await community.member()]
		await attend(id)
		expect((await attend(id, waiting)).ok.rsvp_status).toBe('waitlisted')
		await community.endEvent(id)
		for (const who of [late, waiting])
			expect(await attend(id, who)).toMatchObject({ status: 409, error: 'the event is over' })
		expect((await attend(id)).ok.rsvp_status).toBe('going')
		expect((await leave(id)).status).toBe(200)
		expect((await attend(id)).status).toBe(409)
		expect(await rsvps()).toEqual([{ membership_id: waiting.memberId, status: 'waitlisted' }])
		const change = { ...params(id), body: { capacity: 5 } }
		expect((await world.ask(events.updateEvent, change, community.owner)).ok.rsvp_count).toBe(0)
		expect(await rsvps()).toEqual([{ membership_id: waiting.memberId, status: 'waitlisted' }])
	})

	test('the response to an RSVP says whether the member attends or waits, and why neither', {
		tags: 'd1',
	}, async () => {
		const open = await community.event(spaceId, { capacity: 1, waitlist_enabled: 1 })
		const closed = await community.event(spaceId, { capacity: 1 })
		const other = await community.member()
		for (const id of [open, closed])
			expect((await attend(id)).ok).toEqual({ success: true, rsvp_status: 'going' })
		for (let i = 0; i < 2; i++)
			expect((await attend(open, other)).ok).toEqual({ success: true, rsvp_status: 'waitlisted' })
		expect(await attend(closed, other)).toMatchObject({
			status: 409,
			error: 'the event is full and has no waitlist',
		})
		await leave(open)
		expect((await attend(open, other)).ok.rsvp_status).toBe('going')
	})

	test('lets a member leave an event that is no longer visible', async () => {
		const secret = await community.space({ visibility: 'secret' })
		const id = await community.event(secret)
		const group = await community.grant([ada.memberId], [secret])
		await attend(id)
		await select(world, `update access_groups set status = 'archived' where id = ${group} returning id`)
		expect((await list()).ok.count).toBe(0)
		expect((await leave(id)).status).toBe(200)
		expect((await leave(id)).status).toBe(404)
		expect(await select(world, 'select going_count from events')).toEqual([{ going_count: 0 }])
	})

	test('lets moderators create, read, update and delete events', async () => {
		const moderator = await community.member({ role: 'moderator' })
		const bySpace = { params: { spaceId: String(spaceId) } }
		const body = {
			title: 'Premiere',
			starts_at: '2038-01-01T20:00:00+01:00',
			ends_at: '2038-01-01T22:00:00Z',
			capacity: 1,
			waitlist_enabled: true,
		}
		const create = (more: object, who = moderator) =>
			world.ask(events.createEvent, { ...bySpace, body: { ...body, ...more } }, who)
		expect((await create({}, ada)).status).toBe(403)
		for (const bad of [
			{ ends_at: '2037-01-01T00:00:00Z' },
			{ title: '' },
			{ title: 'Two\nlines' },
			{ starts_at: 'soon' },
			{ ends_at: '9999-12-31T23:59:59-14:00' },
			{ starts_at: '0001-01-01T00:00:00+14:00' },
			{ starts_at: '0000-12-31T00:00:00Z' },
			{ capacity: 0 },
		])
			expect((await create(bad)).status, JSON.stringify(bad)).toBe(400)
		const created = await create({})
		expect(created.status).toBe(201)
		expect(created.ok).toMatchObject({
			display_title: 'Premiere',
			body_plain_text: '',
			event_type: 'in_person',
			event_setting_attributes: { starts_at: '2038-01-01T19:00:00.000Z', rsvp_limit: null },
			author: { id: moderator.userId },
			capacity: 1,
			waitlist_enabled: true,
			rsvp_count: 0,
		})
		const at = params(created.ok.id)
		for (const who of [ada, moderator, community.owner]) await attend(created.ok.id, who)
		const change = (sent: object, who = moderator) =>
			world.ask(events.updateEvent, { ...at, body: sent }, who)
		expect((await change({ title: 'x' }, ada)).status).toBe(403)
		expect((await change({ ends_at: '2038-01-01T00:00:00Z' })).status).toBe(400)
		expect((await change({})).status).toBe(400)
		const moved = await change({ virtual_location_url: 'https://meet.example.org', title: 'Later' })
		expect(moved.ok).toMatchObject({ display_title: 'Later', event_type: 'virtual', rsvp_count: 1 })
		const order = async () => (await rsvps()).map((row) => row.status)
		expect(await order()).toEqual(['going', 'waitlisted', 'waitlisted'])
		expect((await change({ capacity: 2 })).ok).toMatchObject({ capacity: 2, rsvp_count: 2 })
		expect(await order()).toEqual(['going', 'going', 'waitlisted'])
		expect((await change({ capacity: 1 })).ok.rsvp_count, 'attendees keep their places').toBe(2)
		await leave(created.ok.id)
		expect(await order()).toEqual(['going', 'waitlisted'])
		expect((await change({ capacity: null })).ok).toMatchObject({ capacity: null, rsvp_count: 2 })
		expect(await order()).toEqual(['going', 'going'])
		expect((await world.ask(events.getEvent, at, ada)).ok.rsvp_count).toBe(2)
		expect((await world.ask(events.deleteEvent, at, ada)).status).toBe(403)
		expect((await world.ask(events.deleteEvent, at, moderator)).ok).toEqual({ success: true })
		for (const response of [
			await world.ask(events.getEvent, at, ada),
			await change({ title: 'x' }),
			await world.ask(events.deleteEvent, at, moderator),
		])
			expect(response.status).toBe(404)
		expect(await rsvps()).toEqual([])
		const hidden = await community.space({ visibility: 'secret' })
		const there = params(await community.event(hidden))
		for (const answer of [
			await world.ask(events.createEvent, { params: { spaceId: String(hidden) }, body }, moderator),
			await world.ask(events.getEvent, there, moderator),
			await world.ask(events.updateEvent, { ...there, body: { title: 'x' } }, moderator),
			await world.ask(events.deleteEvent, there, moderator),
		])
			expect(answer.status).toBe(404)
	})

	test('an RSVP does not change events of another community', { tags: 'd1' }, async () => {
		const other = await openCommunity(world, 'other')
		const id = await other.event(await other.space(), { capacity: 1, waitlist_enabled: 1 })
		const there = await other.join(ada)
		await attend(id, there)
		expect((await leave(id)).status).toBe(404)
		expect(await rsvps()).toHaveLength(1)
	})
})
