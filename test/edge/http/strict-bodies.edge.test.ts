import { beforeAll, describe, expect, test } from 'vitest'
import { createApiKey, listApiKeys } from '#schema/contract/accounts/api-keys.ts'
import { createBookmark } from '#schema/contract/community/member/bookmarks.ts'
import { allOperations } from '#schema/contract/index.ts'
import { findOpenBody, rejectsFields } from '#schema/contract/kit/bodies/open-bodies.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { openWorld, type World } from '../../support/edge/world.ts'
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

const send = (op: Operation, body: unknown) =>
	world.fetch(
		new Request(`https://edge.test${wellFormedPath(op, fixture.orgId)}`, {
			method: op.method.toUpperCase(),
			headers: {
				...fixture.headers,
				authorization: `Bearer ${op.auth === 'headless-auth' ? headlessKey : fixture.owner.token}`,
				'content-type': 'application/json',
			},
			body: JSON.stringify(body),
		}),
	)

/** The ones whose credential is not one of a person or key; those of machines are open. */
const withOtherCredentials: Operation['auth'][] = ['upload', 'machine', 'registration']
const strict = allOperations.filter(
	(op) =>
		(rejectsFields(op) || (op.body && (!findOpenBody(op) || findOpenBody(op)?.field))) &&
		!withOtherCredentials.includes(op.auth),
)

describe('a request body', () => {
	test.each(strict.map((op) => [op.id, op] as const))(
		'%s with an unknown field in its body gets 400',
		async (_, op) => {
			const response = await send(op, { zzzUnknown: 1 })
			const text = await response.text()
			expect([response.status, text]).toEqual([400, expect.stringContaining('unknown field zzzUnknown')])
		},
	)

	test('a body with an unknown field changes nothing', async () => {
		const params = { orgId: fixture.orgId }
		const before = (await world.ask(listApiKeys, { params }, fixture.owner)).ok.data.length
		const body = { name: 'short', expires_at: '2030-01-01T00:00:00Z' } as never
		const refused = await world.ask(createApiKey, { params, body }, fixture.owner)
		expect([refused.status, refused.error]).toEqual([400, 'unknown field expires_at; did you mean expiresAt'])
		expect((await world.ask(listApiKeys, { params }, fixture.owner)).ok.data).toHaveLength(before)
	})

	test('an operation without a body accepts an empty object', async () => {
		const op = allOperations.find(({ id }) => id === 'markAllNotificationsRead') as Operation
		expect((await send(op, {})).status).toBe(200)
	})

	const sendAs = async (type: string, body: string) => {
		const op = allOperations.find(({ id }) => id === 'markAllNotificationsRead') as Operation
		const headers = {
			...fixture.headers,
			authorization: `Bearer ${fixture.owner.token}`,
			'content-type': type,
		}
		const response = await world.fetch(
			new Request(`https://edge.test${wellFormedPath(op, fixture.orgId)}`, { method: 'POST', headers, body }),
		)
		await response.body?.cancel()
		return [type, response.status]
	}

	test.each(['text/plain', 'application/x-www-form-urlencoded', ''])(
		'an operation without a body ignores content of the type “%s” that is not JSON, but no fields',
		async (type) => {
			expect(await sendAs(type, 'visibility=signed')).toEqual([type, 200])
			expect(await sendAs(type, '{}')).toEqual([type, 200])
			expect(await sendAs(type, '{"visibility":"signed"}')).toEqual([type, 400])
		},
	)

	test('the key __proto__ of a body is refused, never silently dropped', async () => {
		const body = '{"title":"Film","metadata":{"__proto__":"a"}}'
		const headers = { authorization: `Bearer ${fixture.owner.token}`, 'content-type': 'application/json' }
		const response = await world.fetch(
			new Request('https://edge.test/v1/assets', { method: 'POST', headers, body }),
		)
		const text = await response.text()
		expect([response.status, text]).toEqual([400, expect.stringContaining('the key __proto__')])
	})

	test('operations of the community specification accept fields that it does not name', async () => {
		const postId = await fixture.post(await fixture.space())
		const body = { bookmarkable_type: 'Post' as const, bookmarkable_id: postId, tiptap: {} }
		expect((await world.ask(createBookmark, { body }, fixture.owner)).status).toBe(201)
	})
})
