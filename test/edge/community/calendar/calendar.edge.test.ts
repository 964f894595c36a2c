/** @module-tag d1 */
import { beforeEach, describe, expect, test } from 'vitest'
import {
	deleteCalendarFeed,
	getEventCalendar,
	readCalendarFeed,
	resetCalendarFeed,
} from '#schema/contract/community/member/calendar.ts'
import { writeCalendar } from '../../../../edge/community/calendar/icalendar.ts'
import { DAY } from '../../../../edge/platform/clock.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Community, openCommunity, select } from '../community.ts'

let world: World
let fixture: Community
let ada: Awaited<ReturnType<Community['join']>>
let spaceId: number
beforeEach(async () => {
	world = await openWorld()
	fixture = await openCommunity(world)
	ada = await fixture.member()
	spaceId = await fixture.space()
})

const at = (eventId: number) => ({ params: { eventId: String(eventId) } })
const feed = async (who = ada) => (await world.ask(resetCalendarFeed, {}, who)).ok.url
const read = (url: string) =>
	world.ask(readCalendarFeed, { params: { feedFile: new URL(url).pathname.split('/').at(-1) as string } })
/** Returns the unfolded lines of a calendar. */
const linesOf = (text: string) => text.replaceAll('\r\n ', '').split('\r\n')

describe('calendar files', () => {
	test('an event is served as a calendar file to members who see it', async () => {
		const start = Date.UTC(2038, 2, 28, 0, 30)
		const eventId = await fixture.event(spaceId, {
			title: 'Talk; with, signs \\',
			description: 'One\nTwo',
			starts_at: start,
			ends_at: start + 3_600_000,
			virtual_url: 'https://meet.example/x',
		})
		const file = await world.ask(getEventCalendar, at(eventId), ada)
		expect(file.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
		const lines = linesOf(file.text)
		for (const line of [
			'BEGIN:VCALENDAR',
			'DTSTART:20380328T003000Z',
			'DTEND:20380328T013000Z',
			'SUMMARY:Talk\\; with\\, signs \\\\',
			'DESCRIPTION:One\\nTwo',
			'LOCATION:https://meet.example/x',
			`UID:event-${eventId}@edge.test`,
		])
			expect(lines).toContain(line)
		const hidden = await fixture.event(await fixture.space({ visibility: 'secret' }))
		expect((await world.ask(getEventCalendar, at(hidden), ada)).status).toBe(404)
	})

	test('a calendar file folds lines at 75 octets without splitting characters', () => {
		const title = '👩‍🚀é'.repeat(40)
		const event = { id: 1, title, description: '', startsAt: 0, endsAt: 0, updatedAt: 0 }
		const text = writeCalendar('Club', 'h', [{ ...event, inPersonLocation: null, virtualUrl: null }])
		for (const line of text.split('\r\n'))
			expect(new TextEncoder().encode(line).length).toBeLessThanOrEqual(75)
		expect(linesOf(text)).toContain(`SUMMARY:${title}`)
		expect(text).not.toContain('\ufffd')
	})

	test('a calendar file escapes text that would add a line', () => {
		const event = { id: 1, title: 'x\r\nBEGIN:VALARM\rX\u0000', startsAt: 0, endsAt: 0, updatedAt: 0 }
		const text = writeCalendar('Club', 'h', [
			{ ...event, description: '', inPersonLocation: null, virtualUrl: null },
		])
		expect(linesOf(text)).toContain('SUMMARY:x\\nBEGIN:VALARM\\nX')
	})
})

describe('the calendar feed', () => {
	test('the calendar feed contains exactly the events that the member sees at that moment', async () => {
		const hidden = await fixture.space({ visibility: 'private' })
		await fixture.event(spaceId, { title: 'Open' })
		await fixture.event(hidden, { title: 'Closed' })
		await fixture.event(spaceId, { title: 'Long ago', starts_at: world.now - 91 * DAY })
		const url = await feed()
		const titles = async () =>
			linesOf((await read(url)).text)
				.filter((line) => line.startsWith('SUMMARY:'))
				.map((line) => line.slice(8))
		expect(await titles()).toEqual(['Open'])
		await fixture.grant([ada.memberId], [hidden], { expiresAt: world.now + DAY })
		expect(await titles()).toEqual(['Open', 'Closed'])
		world.pass(DAY)
		expect(await titles()).toEqual(['Open'])
	})

	test('invalidates the URL of a calendar feed on reset or deletion, or when the membership ends', async () => {
		const first = await feed()
		const second = await feed()
		expect((await read(first)).status).toBe(404)
		expect((await read(second)).status).toBe(200)
		await select(world, `update memberships set status = 'banned' where id = ${ada.memberId} returning 1`)
		expect((await read(second)).status).toBe(404)
		await select(world, `update memberships set status = 'active' where id = ${ada.memberId} returning 1`)
		expect((await read(second)).status).toBe(200)
		for (let i = 0; i < 2; i++)
			expect((await world.ask(deleteCalendarFeed, {}, ada)).ok).toEqual({ success: true })
		expect((await read(second)).status).toBe(404)
		const unknown = { params: { feedFile: 'nonsense' } }
		expect((await world.ask(readCalendarFeed, unknown)).status).toBe(404)
	})

	test('the database stores only a hash of the calendar feed token', async () => {
		const token = new URL(await feed()).pathname.split('/').at(-1)?.replace('.ics', '') as string
		expect(token).toHaveLength(43)
		expect(JSON.stringify(await world.dump())).not.toContain(token)
	})
})
