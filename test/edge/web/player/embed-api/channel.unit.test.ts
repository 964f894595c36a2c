import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readRequest } from '../../../../../edge/web/player/embed-api/channel.ts'
import { propertyRuns } from '../../../../support/shared/property-runs.ts'

const context = 'player.js'

describe('a message of the site around the player', () => {
	test('a message of the site to the player is parsed from JSON and from an object', () => {
		const message = { context, version: '0.0.11', method: 'setVolume', value: 40, listener: 'one', more: 1 }
		const request = { method: 'setVolume', value: 40, listener: 'one' }
		expect(readRequest(message)).toEqual(request)
		expect(readRequest(JSON.stringify(message))).toEqual(request)
		expect(readRequest({ context, method: 'play' })).toEqual({ method: 'play', value: undefined })
		expect(readRequest({ context, method: 'play', listener: 5 })).toEqual({
			method: 'play',
			value: undefined,
		})
	})

	test.each([
		undefined,
		null,
		0,
		'',
		'{',
		'null',
		'[]',
		[],
		{},
		{ method: 'play' },
		{ context: 'jschannel', method: 'play' },
		{ context },
		{ context, method: 5 },
		{ context, method: null },
		JSON.stringify({ context, method: 'play', value: 'x'.repeat(10_000) }),
	])('a message of another program is ignored: %j', (data) => {
		expect(readRequest(data)).toBeNull()
	})

	test('parsing a message of the site never throws', () => {
		const junk = fc.oneof(
			fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
			fc.string({ unit: 'binary' }),
			fc.json(),
			fc.record({ context: fc.constantFrom(context, 'x'), method: fc.anything(), listener: fc.anything() }),
		)
		fc.assert(
			fc.property(junk, (data) => {
				const request = readRequest(data)
				if (request) expect(request.method).toBeTypeOf('string')
			}),
			{ numRuns: propertyRuns(1_000) },
		)
	})
})
