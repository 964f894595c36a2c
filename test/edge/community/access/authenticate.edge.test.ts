import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { getCurrentMember } from '#schema/contract/community/member/members.ts'
import { allOperations } from '#schema/contract/index.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { knownFields } from '../../../support/edge/known-fields.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { type Community, insert, openCommunity, select } from '../community.ts'

const operations = allOperations.filter((op) => op.auth === 'member')

let world: World
let community: Community
let other: Community
let nonMember: Person
const people: Record<string, Person> = {}
/** Ids that exist but are invisible to a plain member: a secret space and its content. */
const hidden: Record<string, number> = {}
const foreign: Record<string, number> = {}

beforeAll(async () => {
	world = await openWorld()
	community = await openCommunity(world, 'one')
	other = await openCommunity(world, 'two')
	nonMember = await world.person()
	for (const status of ['active', 'invited', 'inactive', 'banned'])
		people[status] = await community.member({ status })
	for (const [at, ids] of [
		[community, hidden],
		[other, foreign],
	] as const) {
		ids.spaceId = await at.space({ visibility: at === community ? 'secret' : 'public' })
		ids.postId = await at.post(ids.spaceId)
		ids.eventId = await at.event(ids.spaceId)
		const of = { community_id: at.id, post_id: ids.postId }
		ids.commentId = await insert(world, 'post_comments', { ...of, body: 'x', created_at: 1, updated_at: 1 })
		const flag = { ...of, membership_id: at.owner.memberId, reason: 'x', created_at: 1 }
		ids.flagId = await insert(world, 'flags', flag)
		const image = { ...of, object_key: 'x', content_type: 'image/png', created_at: 1 }
		ids.imageId = await insert(world, 'images', image)
	}
	people.moderator = await community.member({ role: 'moderator' })
	foreign.memberId = other.owner.memberId
})

const bodyOf = (op: Operation, ids: Record<string, number | string>): string | undefined => {
	if (op.id === 'createBookmark')
		return JSON.stringify({ bookmarkable_type: 'Post', bookmarkable_id: ids.postId })
	if (op.id === 'react' || op.id === 'unreact')
		return JSON.stringify({ reactable_type: 'Post', reactable_id: ids.postId })
	if (op.id === 'flagContent')
		return JSON.stringify({ content_type: 'Post', content_id: ids.postId, reason: 'x' })
	const event = { title: 'x', starts_at: '2038-01-01T00:00:00Z', ends_at: '2038-01-01T01:00:00Z' }
	return op.body ? JSON.stringify(knownFields(op, { name: 'x', body: 'x', alt: 'x', ...event })) : undefined
}

async function request(
	op: Operation,
	ids: Record<string, number | string>,
	headers: Record<string, string>,
): Promise<Response> {
	const path = op.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(ids[name] ?? 1)))
	const body = bodyOf(op, ids)
	return world.fetch(
		new Request(`https://edge.test${path}`, {
			method: op.method.toUpperCase(),
			headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
			...(body !== undefined && { body }),
		}),
	)
}
const bearer = (person: Person | undefined) => ({ authorization: `Bearer ${person?.token}` })
const statusOf = async (...args: Parameters<typeof request>) => (await request(...args)).status

describe.each(operations.map((op) => [op.id, op] as const))('%s', (_, op) => {
	test('checks the community, then the person, then the active membership', async () => {
		expect(await statusOf(op, hidden, bearer(nonMember)), 'no community').toBe(400)
		expect(await statusOf(op, hidden, { ...bearer(nonMember), 'x-community-slug': 'none' })).toBe(404)
		expect(await statusOf(op, hidden, { 'x-community-slug': 'none' }), 'before authentication').toBe(404)
		const anonymous = await request(op, hidden, community.headers)
		expect(anonymous.status).toBe(401)
		expect(anonymous.headers.get('www-authenticate')).toBe('Bearer')
		expect(await anonymous.json()).toEqual({ error: expect.any(String) })
		for (const status of ['invited', 'inactive', 'banned']) {
			const refused = await request(op, hidden, { ...bearer(people[status]), ...community.headers })
			expect([refused.status, await refused.json()], status).toEqual([403, { error: expect.any(String) }])
		}
		expect(await statusOf(op, hidden, { ...bearer(nonMember), ...community.headers })).toBe(403)
		expect(await statusOf(op, hidden, { ...bearer(people.active), ...other.headers })).toBe(403)
	})

	const takesTarget = op.path.includes('{') || ['createBookmark', 'react', 'flagContent'].includes(op.id)
	const succeedsWithoutTarget = ['deleteBookmark', 'unreact'].includes(op.id)
	if (takesTarget && !succeedsWithoutTarget)
		test('returns 404 for unknown, foreign and invisible objects', async () => {
			const role = op.description?.includes('Requires the role moderator') ? 'moderator' : 'active'
			const headers = { ...bearer(people[role]), ...community.headers }
			const name = /\{(\w+)\}/.exec(op.path)?.[1]
			if (name !== 'memberId') expect(await statusOf(op, hidden, headers), 'hidden').toBe(404)
			expect(await statusOf(op, foreign, headers), 'foreign').toBe(404)
			const all = (value: number | string) => ({
				spaceId: value,
				postId: value,
				eventId: value,
				memberId: value,
				commentId: value,
				flagId: value,
				imageId: value,
				notificationId: value,
			})
			expect(await statusOf(op, all(987_654), headers), 'missing').toBe(404)
			if (name)
				for (const odd of [0, -1, '9007199254740992', 'text', '1.5', '1e3', '0x1', ' 1'])
					expect(await statusOf(op, all(odd), headers), String(odd)).toBe(404)
			else
				for (const [odd, status] of [
					[0, 404],
					[-1, 404],
					[2 ** 53, 400],
					['1', 400],
					[1.5, 400],
				] as const)
					expect(await statusOf(op, all(odd), headers), String(odd)).toBe(status)
		})
})

/** Sends a request with this exact body as a permitted member. */
async function send(op: Operation, body: string): Promise<Response> {
	const path = op.path.replaceAll(/\{(\w+)\}/g, (_, name) => String(foreign[name] ?? 1))
	const headers = { ...bearer(other.owner), ...other.headers, 'content-type': 'application/json' }
	const method = op.method.toUpperCase()
	return world.fetch(new Request(`https://edge.test${path}`, { method, headers, body }))
}

const withBody = operations.filter((op) => op.body && !op.bodyOptional)
test.each(withBody.map((op) => [op.id, op] as const))(
	'%s rejects bodies that are not objects',
	async (_, op) => {
		for (const body of [
			'',
			'{',
			'null',
			'[]',
			'"text"',
			'7',
			'{"name":7,"body":7,"title":7,"reactable_type":7}',
		]) {
			const refused = await send(op, body)
			expect([refused.status, await refused.json()], body).toEqual([400, { error: expect.any(String) }])
		}
	},
)

test.each(['Post', 'Comment', 'Image'])(
	"a reaction to a %s that the member can't see is rejected",
	async (type) => {
		const headers = { ...bearer(people.active), ...community.headers, 'content-type': 'application/json' }
		const react = async (id: unknown, method: string) => {
			const body = JSON.stringify({ reactable_type: type, reactable_id: id })
			const url = 'https://edge.test/api/headless/v1/reactions'
			return (await world.fetch(new Request(url, { method, headers, body }))).status
		}
		const name = `${type.toLowerCase()}Id`
		for (const id of [hidden[name], foreign[name], 987_654, 0, -1])
			expect([await react(id, 'POST'), await react(id, 'DELETE')], `${id}`).toEqual([404, 200])
		for (const id of [2 ** 53, '1', 1.5, null, undefined, [1]])
			expect([await react(id, 'POST'), await react(id, 'DELETE')], `${id}`).toEqual([400, 400])
	},
)

test('deletes a missing bookmark by any number and rejects other ids', async () => {
	const statusesOf = async (ids: (string | number | undefined)[]) => {
		const statuses: number[] = []
		for (const id of ids) {
			const url = `https://edge.test/api/headless/v1/bookmarks/${id}`
			const headers = { ...bearer(people.active), ...community.headers }
			statuses.push((await world.fetch(new Request(url, { method: 'DELETE', headers }))).status)
		}
		return new Set(statuses)
	}
	const numbers = [hidden.postId, foreign.postId, 987_654, 0, -1, '9007199254740992']
	expect(await statusesOf(numbers)).toEqual(new Set([200]))
	expect(await statusesOf(['text', '1.5', '1e3', '0x1', '%201'])).toEqual(new Set([404]))
})

describe('community resolution', () => {
	const ask = (who: Person, headers: Record<string, string>, url = 'https://edge.test') =>
		world.fetch(new Request(`${url}${getCurrentMember.path}`, { headers: { ...bearer(who), ...headers } }))
	const idIn = async (response: Response) =>
		((await response.json()) as { community?: { id: number } }).community?.id

	const update = (sql: string) => select(world, `update ${sql} returning id`)
	beforeEach(async () => {
		world.set({ COMMUNITY_BASE_DOMAIN: 'communities.test' })
		await update(
			`communities set custom_domain = 'club.example.org', domain_verified_at = 1 where id = ${community.id}`,
		)
	})
	afterEach(async () => {
		world.set({ COMMUNITY_BASE_DOMAIN: '', DEFAULT_COMMUNITY: '' })
		await update(`communities set custom_domain = null, domain_verified_at = null where id = ${community.id}`)
		await update(`orgs set suspended_at = null where id = '${other.orgId}'`)
	})

	test('resolves the community by id, slug, host, domain or single membership', async () => {
		const owner = community.owner
		expect(await idIn(await ask(owner, { 'x-community-id': String(community.id) }))).toBe(community.id)
		expect(await idIn(await ask(owner, { 'x-community-slug': 'one' }))).toBe(community.id)
		expect(await idIn(await ask(owner, {}, 'https://one.communities.test'))).toBe(community.id)
		expect(await idIn(await ask(owner, {}, 'https://club.example.org'))).toBe(community.id)
		expect(await idIn(await ask(owner, {}))).toBe(community.id)
		expect((await ask(owner, {}, 'https://three.communities.test')).status).toBe(404)
	})

	test('rejects a request that names two different communities', async () => {
		const owner = community.owner
		const refused = [
			await ask(owner, { 'x-community-id': String(community.id), 'x-community-slug': 'two' }),
			await ask(owner, { 'x-community-id': String(other.id) }, 'https://one.communities.test'),
			await ask(owner, { 'x-community-id': String(other.id) }, 'https://club.example.org'),
			await ask(owner, { 'x-community-slug': 'none', 'x-community-id': String(community.id) }),
		]
		expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403])
		expect((await ask(owner, { 'x-community-id': 'text' })).status).toBe(404)
		expect((await ask(owner, { 'x-community-id': '0' })).status).toBe(404)
	})

	test('uses the default community of the installation when none is named', async () => {
		world.set({ DEFAULT_COMMUNITY: 'two' })
		expect((await ask(community.owner, {})).status).toBe(403)
		expect(await idIn(await ask(other.owner, {}))).toBe(other.id)
		expect(await idIn(await ask(community.owner, { 'x-community-slug': 'one' }))).toBe(community.id)
	})

	test('rejects members while the organization is suspended', async () => {
		await update(`orgs set suspended_at = 1 where id = '${other.orgId}'`)
		const refused = await ask(other.owner, other.headers)
		expect([refused.status, refused.headers.get('x-error-code')]).toEqual([403, 'org_suspended'])
	})
})
