import { expect, test } from 'vitest'
import * as events from '#schema/contract/community/member/events.ts'
import { openHeadless } from '../community.ts'

test('the list of events can be filtered by time, space and the RSVP of the caller, and returns the number of matches', async () => {
	const { world, community, ada, spaceId } = await openHeadless()
	const iso = (at: number) => new Date(at).toISOString()
	const { now } = world
	const at = (offset: number) => ({ starts_at: now + offset, ends_at: now + 9_000 })
	const other = await community.space()
	const secret = await community.space({ visibility: 'secret' })
	const [past, soon, later] = [
		await community.event(spaceId, at(-1_000)),
		await community.event(spaceId, at(1_000)),
		await community.event(spaceId, at(2_000)),
	]
	const elsewhere = await community.event(other, at(1_500))
	const hidden = await community.event(secret, at(1_200))
	for (const id of [later, elsewhere])
		expect((await world.ask(events.attendEvent, { params: { eventId: String(id) } }, ada)).status).toBe(200)
	const list = async (query: object) => {
		const { records, count } = (await world.ask(events.listCommunityEvents, { query }, ada)).ok
		return { ids: records.map(({ id }) => id), count }
	}
	const from = iso(now + 1_000)
	const to = iso(now + 2_000)
	const space_id = String(spaceId)
	expect(await list({ from })).toEqual({ ids: [soon, elsewhere, later], count: 3 })
	expect(await list({ to })).toEqual({ ids: [past, soon, elsewhere], count: 3 })
	expect(await list({ from, to })).toEqual({ ids: [soon, elsewhere], count: 2 })
	expect(await list({ space_id })).toEqual({ ids: [past, soon, later], count: 3 })
	expect(await list({ space_id, from, per_page: '1', page: '2' })).toEqual({ ids: [later], count: 2 })
	expect(await list({ mine: 'true' })).toEqual({ ids: [elsewhere, later], count: 2 })
	expect(await list({ mine: 'true', to })).toEqual({ ids: [elsewhere], count: 1 })
	expect(await list({ mine: 'true', space_id })).toEqual({ ids: [later], count: 1 })
	expect(await list({ space_id: String(secret) })).toEqual({ ids: [], count: 0 })
	const ofOwner = await world.ask(
		events.listCommunityEvents,
		{ query: { space_id: String(secret) } },
		community.owner,
	)
	expect(ofOwner.ok.records.map(({ id }) => id)).toEqual([hidden])
	for (const query of [{ from: 'tomorrow' }, { space_id: 'x' }, { mine: 'yes' }])
		expect((await world.ask(events.listCommunityEvents, { query: query as never }, ada)).status).toBe(400)
})

test('filtered lists of events use indexes and scan no table', async () => {
	const { world, ada, spaceId } = await openHeadless()
	const query = { from: new Date(world.now).toISOString(), space_id: String(spaceId) }
	const all = await world.ask(events.listCommunityEvents, { query }, ada)
	const mine = await world.ask(events.listCommunityEvents, { query: { ...query, mine: 'true' } }, ada)
	const lists = [...all.statements, ...mine.statements].filter((sql) => sql.includes('starts_at >= ?'))
	expect(lists).toHaveLength(4)
	const plans = await Promise.all(lists.map((sql) => world.plan(sql)))
	for (const plan of plans) expect(plan.filter((line) => /^SCAN (e|o|y|r|s)\b/.test(line))).toEqual([])
	expect(plans.flat().join('\n')).toContain('events_space (space_id=? AND starts_at>?)')
})

test('the numbers of attendees and waiting members follow RSVPs, cancellations and the capacity', async () => {
	const { world, community, ada, spaceId } = await openHeadless()
	const id = await community.event(spaceId, { capacity: 1, waitlist_enabled: 1 })
	const params = { eventId: String(id) }
	const crowd = [ada, await community.member(), await community.member(), await community.member()]
	const show = async () => {
		const { rsvp_count, waitlisted_count, capacity } = (
			await world.ask(events.listCommunityEvents, { query: {} }, ada)
		).ok.records[0] as events.CommunityEvent
		return { rsvp_count, waitlisted_count, capacity }
	}
	for (const who of crowd) await world.ask(events.attendEvent, { params }, who)
	expect(await show()).toEqual({ rsvp_count: 1, waitlisted_count: 3, capacity: 1 })
	await world.ask(events.leaveEvent, { params }, ada)
	expect(await show()).toEqual({ rsvp_count: 1, waitlisted_count: 2, capacity: 1 })
	await world.ask(events.updateEvent, { params, body: { capacity: 2 } }, community.owner)
	expect(await show()).toEqual({ rsvp_count: 2, waitlisted_count: 1, capacity: 2 })
	await world.ask(events.updateEvent, { params, body: { capacity: null } }, community.owner)
	expect(await show()).toEqual({ rsvp_count: 3, waitlisted_count: 0, capacity: null })
})
