import { describe, expect, test } from 'vitest'
import { eventByType, revokingEvents } from '#schema/contract/events.ts'
import { publicEvents, publicEventTypes } from '#schema/contract/public-events.ts'

describe('domain events', () => {
	test('the name of an event is declared once and has its resource first', () => {
		for (const [name, event] of Object.entries(eventByType)) {
			expect(event.name).toBe(name)
			expect(name).toMatch(/^[a-z_]+(\.[a-z_]+)+$/)
		}
	})

	test('a public event shows the field that names its resource', () => {
		for (const type of publicEventTypes)
			expect([type, Object.keys(publicEvents[type].data.shape)]).toEqual([
				type,
				expect.arrayContaining([publicEvents[type].resource]),
			])
	})

	test('a public event leaves out the fields that it hides, and no others', () => {
		const { payload, public: shown } = eventByType['asset.processing']
		expect(shown?.without).toEqual(['jobId'])
		expect(Object.keys(payload.shape)).toEqual(['assetId', 'playbackId', 'title', 'jobId'])
		expect(Object.keys(publicEvents['asset.processing'].data.shape)).toEqual([
			'assetId',
			'playbackId',
			'title',
		])
	})

	test('the events that a restored database repeats are changes of how a person signs in or leaves', () => {
		expect(revokingEvents.toSorted()).toEqual([
			'account.deletion_cancelled',
			'account.deletion_requested',
			'account.email_changed',
			'account.password_changed',
			'account.second_factor_changed',
		])
	})
})
