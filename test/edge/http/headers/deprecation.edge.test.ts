import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeOperations, type Operation } from '#schema/contract/kit/operation.ts'
import { features } from '../../../../edge/features.ts'
import { serve } from '../../../../edge/http/route.ts'
import { openWorld } from '../../../support/edge/world.ts'

const operation = describeOperations('Toys')
const response = z.object({ data: z.null() })
const answer = async () => ({ data: null })

const leaving = operation({
	id: 'getLeavingToy',
	method: 'get',
	path: '/v1/leaving-toy',
	summary: 'Get a toy that is removed later',
	auth: 'public',
	query: z.object({}),
	response,
	deprecated: { since: '2027-03-01', sunset: '2027-08-28', use: '`getToy`' },
})
const staying: Operation = { ...leaving, id: 'getToy', path: '/v1/toy' }
delete (staying as { deprecated?: unknown }).deprecated

const origin = 'https://app.example.org'
const toys = { routes: [serve(leaving, answer), serve(staying, answer as () => Promise<never>)] }

test('every response of a deprecated operation, errors included, names the days in headers that pages can read', async () => {
	const world = await openWorld({ CORS_ORIGINS: origin }, { features: [...features, toys] })
	const ask = async (path: string) => {
		const { status, headers } = await world.fetch(
			new Request(`https://edge.test${path}`, { headers: { origin } }),
		)
		const exposed = headers.get('access-control-expose-headers') ?? ''
		return [
			status,
			headers.get('deprecation'),
			headers.get('sunset'),
			exposed.includes('Deprecation, Sunset'),
		]
	}
	const named = ['@1803859200', 'Sat, 28 Aug 2027 00:00:00 GMT', true]
	expect(await ask('/v1/leaving-toy')).toEqual([200, ...named])
	expect(await ask('/v1/leaving-toy?wrong=1')).toEqual([400, ...named])
	expect(await ask('/v1/toy')).toEqual([200, null, null, false])
})
