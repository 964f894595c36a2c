import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { createOrg, getOrg, getOrgUsage } from '#schema/contract/accounts/orgs.ts'
import { suspendOrg } from '#schema/contract/accounts/suspension.ts'
import * as admin from '#schema/contract/operations/admin/orgs.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import { DAY, toIso } from '../../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'

let world: World
let root: Person
let ada: Person
beforeEach(async () => {
	world = await openWorld({ DEFAULT_TIER: 'free' })
	root = await world.person({ email: 'root@example.org', name: 'Root' })
	ada = await world.person({ email: 'ada@example.org', name: 'Ada' })
	await world.ask(createOrg, { body: { name: 'Bright Films', slug: 'bright' } }, ada)
})

const slugs = async (query: Record<string, string>) =>
	(await world.ask(admin.listAllOrgs, { query }, root)).ok.data.map(({ slug }) => slug)

describe('the list of organizations', () => {
	test('organizations are found by id or the beginning of a name, slug or member’s address', {
		tags: 'd1',
	}, async () => {
		expect(await slugs({})).toEqual(['bright', ada.orgSlug, root.orgSlug])
		expect(await slugs({ q: 'BRIGHT F' })).toEqual(['bright'])
		expect(await slugs({ q: 'brig' })).toEqual(['bright'])
		expect(await slugs({ q: 'ada@' })).toEqual(['bright', ada.orgSlug])
		expect(await slugs({ q: ada.orgId })).toEqual([ada.orgSlug])
		expect(await slugs({ q: 'films' })).toEqual([])
	})

	test('the list of organizations has pages, and filters by tier and state', async () => {
		for (const query of [{}, { tier: 'free' }, { state: 'active' }] as const) {
			const first = await world.ask(admin.listAllOrgs, { query: { ...query, limit: '2' } }, root)
			expect(first.ok.data.map(({ slug }) => slug)).toEqual(['bright', ada.orgSlug])
			const cursor = first.headers.get('x-next-cursor') ?? ''
			expect(await slugs({ ...query, limit: '2', cursor })).toEqual([root.orgSlug])
		}
		expect(await slugs({ tier: 'pro' })).toEqual([])
		await world.deps((d) => d.db.all("update orgs set suspended_at = 1 where slug = 'bright' returning 1"))
		expect(await slugs({ state: 'suspended' })).toEqual(['bright'])
	})

	test('the list of organizations filters by the reason of a suspension', async () => {
		for (const reason of ['billing', 'abuse'] as const)
			await world.ask(suspendOrg, { params: { orgId: ada.orgId }, body: { reason } }, root)
		const [bright] = (await world.ask(admin.listAllOrgs, { query: { q: 'bright' } }, root)).ok.data
		const params = { orgId: bright?.id ?? '' }
		await world.ask(suspendOrg, { params, body: { reason: 'billing' } }, root)
		expect(await slugs({ suspensionReason: 'billing' })).toEqual(['bright', ada.orgSlug])
		expect(await slugs({ suspensionReason: 'billing', state: 'active' })).toEqual(['bright'])
		expect(await slugs({ suspensionReason: 'abuse' })).toEqual([ada.orgSlug])
		expect(await slugs({ suspensionReason: 'operator' })).toEqual([])
		expect(await slugs({ suspensionReason: 'billing', tier: 'free', q: 'brig' })).toEqual(['bright'])
	})

	test('the list of organizations reads ranges of indexes alone', async () => {
		const plans: string[] = []
		for (const query of [
			{},
			{ q: 'bri' },
			{ tier: 'free' },
			{ state: 'suspended' },
			{ suspensionReason: 'billing' },
		]) {
			await world.ask(admin.listAllOrgs, { query } as never, root)
			const sql = world.statements.find((each) => each.includes('encode_ms')) ?? ''
			plans.push((await world.plan(sql)).join('\n'))
		}
		const all = plans.join('\n')
		for (const index of [
			'orgs_created',
			'orgs_slug',
			'orgs_name',
			'users_email',
			'orgs_tier',
			'orgs_tier_override',
			'orgs_suspended',
			'orgs_suspension_reasons',
		])
			expect(all).toMatch(new RegExp(`INDEX ${index}\\b`))
		expect(all).not.toMatch(/SCAN (found|person|orgs)$/m)
	})

	test('superadmins alone list all organizations', async () => {
		const others = [
			await world.ask(admin.listAllOrgs, { query: {} }, ada),
			await world.ask(admin.getAnyOrg, { params: { orgId: ada.orgId } }, ada),
			await world.ask(admin.getAnyOrg, { params: { orgId: `org_${'0'.repeat(26)}` } }, ada),
			await world.ask(admin.listAssetsOfOrg, { params: { orgId: root.orgId }, query: {} }, ada),
		]
		expect(others.map(({ status }) => status)).toEqual([403, 403, 403, 403])
	})
})

test('superadmins see an organization with its owners, usage and assets', async () => {
	await world.ask(createAsset, { body: { title: 'Film' } }, ada)
	const params = { orgId: ada.orgId }
	expect((await world.ask(admin.getAnyOrg, { params }, root)).ok.data).toMatchObject({
		id: ada.orgId,
		members: 1,
		owners: [{ userId: ada.userId, email: 'ada@example.org' }],
		usage: { tier: 'free', used: { members: 1 } },
	})
	const list = async (query: object) =>
		(await world.ask(admin.listAssetsOfOrg, { params, query: query as never }, root)).ok.data
	expect(await list({})).toMatchObject([{ title: 'Film', status: 'created' }])
	expect(await list({ status: 'ready' })).toEqual([])
})

describe('a tier override', () => {
	const params = () => ({ orgId: ada.orgId })
	const give = (until: number) =>
		world.ask(
			admin.updateOrgTier,
			{ params: params(), body: { tier: 'pro', reason: 'A trial', until: toIso(until) } },
			root,
		)
	const tiers = async () => [
		(await world.ask(getOrg, { params: params() }, ada)).ok.data.tier,
		(await world.ask(getOrgUsage, { params: params() }, ada)).ok.data.tier,
		(await world.ask(admin.getAnyOrg, { params: params() }, root)).ok.data.tier,
	]

	test('a tier override changes the limits at once, and ends by itself', async () => {
		const given = await give(world.now + 2 * DAY)
		expect(given.ok.data).toMatchObject({ tier: 'pro', tierOverride: { tier: 'pro', reason: 'A trial' } })
		expect(await tiers()).toEqual(['pro', 'pro', 'pro'])
		expect(await slugs({ tier: 'pro' })).toEqual([ada.orgSlug])
		expect(await slugs({ tier: 'free' })).toEqual(['bright', root.orgSlug])
		const newKey = () => world.ask(createApiKey, { params: params(), body: { name: 'k' } }, ada)
		for (let i = 0; i < 3; i++) expect((await newKey()).status).toBe(201)
		world.pass(3 * DAY)
		ada.token = await world.logIn(ada)
		root.token = await world.logIn(root)
		expect(await tiers()).toEqual(['free', 'free', 'free'])
		expect((await newKey()).headers.get('x-error-code')).toBe('plan_limit')
		expect(await slugs({ tier: 'pro' })).toEqual([])
		expect(await slugs({ tier: 'free' })).toEqual(['bright', ada.orgSlug, root.orgSlug])
	})

	test('a tier override can be ended early, and must end in the future', async () => {
		expect((await give(world.now - DAY)).status).toBe(400)
		expect((await give(world.now + 4_000 * DAY)).status).toBe(400)
		await give(world.now + DAY)
		const ended = await world.ask(admin.updateOrgTier, { params: params(), body: { tier: null } }, root)
		expect(ended.ok.data).toMatchObject({ tier: 'free', tierOverride: null })
		const missing = { params: { orgId: `org_${'0'.repeat(26)}` }, body: { tier: null } }
		expect((await world.ask(admin.updateOrgTier, missing, root)).status).toBe(404)
	})
})
