import { beforeAll, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { allOperations } from '#schema/contract/index.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { findOpenQuery } from '#schema/contract/kit/queries/open-queries.ts'
import { openWorld, type World } from '../../support/edge/world.ts'
import { checkResponse } from '../../support/shared/openapi-validator.ts'
import { openCommunity } from '../community/community.ts'
import { wellFormedPath } from './well-formed-path.ts'

let world: World
let fixture: Awaited<ReturnType<typeof openCommunity>>
let headlessKey: string
beforeAll(async () => {
	world = await openWorld({ SUPERADMIN_EMAILS: 'root@example.org' })
	fixture = await openCommunity(world)
	await world.deps(({ db }) =>
		db.all(`update users set is_superadmin = 1 where id = ${fixture.owner.userId} returning 1`),
	)
	const body = { name: 'x', scopes: ['headless:auth' as const] }
	const made = await world.ask(createApiKey, { params: { orgId: fixture.orgId }, body }, fixture.owner)
	headlessKey = made.ok.data.key
})

const credentialFor = ({ auth }: Operation): string | undefined => {
	if (auth === 'headless-auth') return headlessKey
	return auth === 'public' ? undefined : fixture.owner.token
}

const send = async (op: Operation, query: string) => {
	const credential = credentialFor(op)
	const response = await world.fetch(
		new Request(`https://edge.test${wellFormedPath(op, fixture.orgId)}?${query}`, {
			method: op.method.toUpperCase(),
			headers: { ...fixture.headers, ...(credential && { authorization: `Bearer ${credential}` }) },
		}),
	)
	await checkResponse(op, response)
	return [response.status, op.method === 'head' ? '' : await response.text()]
}

const strict = allOperations.filter((op) => findOpenQuery(op) === undefined)

describe('the query of a request', () => {
	test.each(strict.map((op) => [op.id, op] as const))(
		'%s with an unknown query parameter gets 400',
		async (_, op) => {
			expect(await send(op, 'zzzUnknown=1')).toEqual([
				400,
				expect.stringContaining('unknown parameter zzzUnknown'),
			])
		},
	)

	const find = (id: string) => allOperations.find((op) => op.id === id) as Operation

	test('a member who asks for an image in another width than the three on offer gets 400', async () => {
		const [status, body] = await send(find('getImage'), 'w=500')
		expect([status, body]).toEqual([400, expect.stringContaining('w:')])
	})

	test('the error for a misspelled parameter names the nearest known one', async () => {
		expect(await send(find('listAssets'), 'limt=1')).toEqual([
			400,
			JSON.stringify({ error: 'unknown parameter limt; did you mean limit' }),
		])
	})

	test('the error for several unknown parameters names all of them', async () => {
		expect(await send(find('getMe'), 'fields=a&expand=b')).toEqual([
			400,
			JSON.stringify({
				error: 'unknown parameters fields, expand; this operation takes no query parameters',
			}),
		])
	})

	test('the response to a misspelled parameter lists it in X-Error-Fields, which web pages may read', async () => {
		const response = await world.fetch(
			new Request('https://edge.test/v1/config?zzzUnknown=1', { headers: { origin: 'https://any.example' } }),
		)
		expect(response.headers.get('x-error-fields')).toBe('zzzUnknown')
		expect(response.headers.get('access-control-expose-headers')).toContain('X-Error-Fields')
	})
})
