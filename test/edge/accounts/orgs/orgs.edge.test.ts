import { beforeEach, describe, expect, test } from 'vitest'
import { createOrg, getOrg, getOrgUsage, listOrgs, updateOrg } from '#schema/contract/accounts/orgs.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

describe('organizations', () => {
	test('a new organization has its creator as owner and can be used at once', async () => {
		const { status, ok } = await world.ask(createOrg, { body: { name: 'Films & Co', slug: 'films' } }, ada)
		expect(status).toBe(201)
		expect(ok.data).toMatchObject({
			name: 'Films & Co',
			slug: 'films',
			role: 'owner',
			tier: 'self-hosted',
			webhookUrl: null,
		})
		const seen = await world.ask(getOrg, { params: { orgId: ok.data.id } }, ada)
		expect(seen.ok.data).toEqual(ok.data)
	})

	test('the slug of an organization is unique', { tags: 'd1' }, async () => {
		await world.ask(createOrg, { body: { name: 'One', slug: 'films' } }, ada)
		const second = await world.ask(createOrg, { body: { name: 'Two', slug: 'films' } }, ada)
		expect([second.status, second.code]).toEqual([409, 'conflict'])
		for (const slug of ['', '-a', 'a-', 'A', 'a b', 'ä', 'x'.repeat(49)])
			expect((await world.ask(createOrg, { body: { name: 'Three', slug } }, ada)).status, slug).toBe(400)
	})

	test('an organization can be renamed, and its webhook URL can be set and removed', {
		tags: 'd1',
	}, async () => {
		const change = (body: object) => world.ask(updateOrg, { params: { orgId: ada.orgId }, body }, ada)
		world.pass(5_000)
		const changed = await change({ name: '  New  ', webhookUrl: 'https://hooks.example.org/x' })
		expect(changed.ok.data).toMatchObject({ name: 'New', webhookUrl: 'https://hooks.example.org/x' })
		expect(changed.ok.data.updatedAt > changed.ok.data.createdAt).toBe(true)
		expect((await change({ webhookUrl: null })).ok.data).toMatchObject({ name: 'New', webhookUrl: null })
		for (const body of [
			{},
			{ name: '' },
			{ webhookUrl: 'ftp://x' },
			{ webhookUrl: 'javascript:alert(1)' },
			{ name: 7 },
		])
			expect((await change(body)).status, JSON.stringify(body)).toBe(400)
	})

	test('a change of an organization rejects fields that can’t be changed', async () => {
		const body = { name: 'New', tier: 'business', suspendedAt: null, id: 'org_x', createdAt: 0 }
		const params = { orgId: ada.orgId }
		const before = (await world.ask(getOrg, { params }, ada)).text
		expect((await world.ask(updateOrg, { params, body: body as never }, ada)).status).toBe(400)
		expect((await world.ask(getOrg, { params }, ada)).text).toBe(before)
	})

	test('the list of organizations has pages without gaps or duplicates', { tags: 'd1' }, async () => {
		for (let i = 0; i < 7; i++) await world.ask(createOrg, { body: { name: `Org ${i}` } }, ada)
		const names: string[] = []
		let cursor: string | null = null
		do {
			const page: Awaited<ReturnType<typeof fetchPage>> = await fetchPage(cursor)
			names.push(...page.ok.data.map((org) => org.name))
			cursor = page.headers.get('x-next-cursor')
			expect(page.ok.next).toBe(cursor)
			if (cursor)
				expect(page.headers.get('link')).toMatch(
					/^<https?:\/\/[^/]+\/v1\/orgs\?limit=3&cursor=[^>]+>; rel="next"$/,
				)
		} while (cursor)
		expect(names).toHaveLength(8)
		expect(new Set(names).size).toBe(8)
		const all = await world.ask(listOrgs, { query: {} }, ada)
		expect(names).toEqual(all.ok.data.map((org) => org.name))
		expect((await fetchPage('nonsense')).status).toBe(400)

		function fetchPage(at: string | null) {
			return world.ask(listOrgs, { query: { limit: '3', ...(at && { cursor: at }) } }, ada)
		}
	})

	test('the tier limits how many organizations a person creates, even with concurrent requests', async () => {
		world.set({ DEFAULT_TIER: 'free' })
		const eve = await world.person()
		const make = (who: Person, name = 'More') => world.ask(createOrg, { body: { name } }, who)
		const answers = await Promise.all(Array.from({ length: 8 }, () => make(eve)))
		expect(answers.map(({ status, code }) => [status, code]).toSorted()).toEqual([
			[201, null],
			[201, null],
			...Array(6).fill([403, 'plan_limit']),
		])
		const listed = await world.ask(listOrgs, { query: {} }, eve)
		expect(listed.ok.data).toHaveLength(3)
		const rows = (sql: string) => world.deps((d) => d.db.all(sql))
		// Rejected requests leave no rows, and a creator who leaves an organization does not get its place back.
		expect(await rows('select org_id from org_members where org_id not in (select id from orgs)')).toEqual([])
		expect(
			await rows(`select id from outbox where type = 'org.created' and org_id not in (select id from orgs)`),
		).toEqual([])
		await rows(
			`delete from org_members where user_id = ${eve.userId} and org_id <> '${eve.orgId}' returning 1`,
		)
		expect((await make(eve)).code).toBe('plan_limit')
		expect((await make(ada)).status).toBe(201)
	})

	test('organizations of another tier don’t count against the limit, and ORGS_PER_PERSON overrides it', async () => {
		world.set({ DEFAULT_TIER: 'free', ORGS_PER_PERSON: '1' })
		const eve = await world.person()
		const make = async () => (await world.ask(createOrg, { body: { name: 'More' } }, eve)).status
		expect(await make()).toBe(403)
		await world.deps((d) => d.db.all(`update orgs set tier = 'pro' where id = '${eve.orgId}' returning id`))
		expect([await make(), await make()]).toEqual([201, 403])
		world.set({ ORGS_PER_PERSON: '' })
		expect([await make(), await make(), await make()]).toEqual([201, 201, 403])
	})

	test('an organization reports its usage and the limits of its tier', { tags: 'd1' }, async () => {
		world.set({ DEFAULT_TIER: 'free' })
		const { ok } = await world.ask(createOrg, { body: { name: 'Small' } }, ada)
		const usage = await world.ask(getOrgUsage, { params: { orgId: ok.data.id } }, ada)
		expect(usage.ok.data).toMatchObject({
			tier: 'free',
			period: { from: '2037-11-01T00:00:00.000Z', to: '2037-12-01T00:00:00.000Z' },
			used: { members: 1, apiKeys: 0, storageBytes: 0, encodeMinutesPerMonth: 0, deliveryMinutesPerMonth: 0 },
			limits: { apiKeys: 2, members: 3 },
		})
	})
})
