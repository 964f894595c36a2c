import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { accountEvents } from '#schema/contract/accounts/events.ts'
import { aiEvents } from '#schema/contract/ai/events.ts'
import { communityEvents } from '#schema/contract/community/events.ts'
import { eventByType, personalFields, revokingEvents } from '#schema/contract/events.ts'
import { operationEvents } from '#schema/contract/operations/events.ts'
import { publicEvents, publicEventTypes } from '#schema/contract/public-events.ts'
import { videoEvents } from '#schema/contract/video/events.ts'
import { watchEvents } from '#schema/contract/watch/events.ts'

describe('domain events', () => {
	test('each event is declared once, and its name is a resource and what happened to it', () => {
		const wings = [accountEvents, videoEvents, communityEvents, aiEvents, watchEvents, operationEvents]
		const names = wings.flatMap((events) => events.map(({ name }) => name))
		expect(Object.keys(eventByType).toSorted()).toEqual(names.toSorted())
		for (const name of names) expect(name).toMatch(/^[a-z_]+(\.[a-z_]+)+$/)
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

	test('every free text in an event is personal, unless the platform writes it', () => {
		const written = ['role', 'reason']
		const isText = (field: unknown) => field instanceof z.ZodString && !field.def.checks?.length
		for (const { name, payload, personal = [] } of Object.values(eventByType)) {
			const texts = Object.entries(payload.shape).flatMap(([field, schema]) =>
				isText(schema) && !field.endsWith('Id') && !written.includes(field) ? [field] : [],
			)
			expect([name, personal]).toEqual([name, texts])
		}
		expect(personalFields.toSorted()).toEqual(['errorMessage', 'formerEmail', 'ip', 'title', 'userAgent'])
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
