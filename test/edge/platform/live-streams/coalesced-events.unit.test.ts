import { expect, test } from 'vitest'
import { COALESCED_MS, CoalescedEvents } from '../../../../edge/platform/live-streams/coalesced-events.ts'
import { createHandTimers } from './hand-timers.ts'

const eventOf = (type: string) => ({ topics: ['post:1'], type, data: {} })

test('frequent events with the same key are coalesced: the first is sent at once, then the newest once a second', () => {
	const timers = createHandTimers()
	const sent: string[] = []
	const events = new CoalescedEvents(({ type }) => void sent.push(type), timers.after)
	for (const type of ['1', '2', '3']) events.add('Post:1', eventOf(type))
	expect(sent).toEqual(['1'])
	timers.pass(COALESCED_MS - 1)
	expect(sent).toEqual(['1'])
	timers.pass(1)
	expect(sent).toEqual(['1', '3'])
	events.add('Post:1', eventOf('4'))
	expect(sent).toEqual(['1', '3'])
	timers.pass(COALESCED_MS)
	expect(sent).toEqual(['1', '3', '4'])
})

test('an event with another key is not delayed, and no timer remains after the last event', () => {
	const timers = createHandTimers()
	const sent: string[] = []
	const events = new CoalescedEvents(({ type }) => void sent.push(type), timers.after)
	events.add('Post:1', eventOf('1'))
	events.add('Post:2', eventOf('2'))
	expect(sent).toEqual(['1', '2'])
	timers.pass(COALESCED_MS)
	expect([sent, timers.count()]).toEqual([['1', '2'], 0])
	events.add('Post:1', eventOf('3'))
	expect(sent).toEqual(['1', '2', '3'])
})
