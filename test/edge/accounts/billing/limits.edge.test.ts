/** @module-tag d1 */
import { beforeEach, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { createCheckout, getBilling } from '#schema/contract/accounts/billing.ts'
import { createOrg, getOrg, getOrgUsage } from '#schema/contract/accounts/orgs.ts'
import { allOperations } from '#schema/contract/index.ts'
import { listAllOrgs, updateOrgTier } from '#schema/contract/operations/admin/orgs.ts'
import { createAsset, listAssets } from '#schema/contract/video/assets.ts'
import { createUploadToken } from '#schema/contract/video/uploads.ts'
import { type BillingWorld, openBillingWorld } from './billing-world.ts'

let billing: BillingWorld
let subscription: string
beforeEach(async () => {
	billing = await openBillingWorld()
	const { checkOut, sessionAt, stripe, ada, settle } = billing
	subscription = stripe.paySession(sessionAt((await checkOut(ada)).ok.data.url)) ?? ''
	await settle()
})

const run = (statement: string) => billing.world.deps(({ db }) => db.all(statement))

test('a downgrade deletes nothing, and new uploads get 403 until the bill is paid', async () => {
	const { world, ada, stripe, settle } = billing
	const asset = await world.ask(createAsset, { body: { title: 'Film' } }, ada)
	const other = await world.ask(createAsset, { body: { title: 'Next film' } }, ada)
	await run(`update assets set source_size_bytes = 20000000000 where id = '${asset.ok.data.id}' returning 1`)
	const upload = { params: { assetId: other.ok.data.id }, body: { fileSize: 1 } }
	expect((await world.ask(createUploadToken, upload, ada)).status).toBe(200)
	stripe.update(subscription, { status: 'unpaid' })
	await settle()
	const refused = await world.ask(createUploadToken, upload, ada)
	expect([refused.status, refused.code]).toEqual([403, 'plan_limit'])
	expect((await world.ask(listAssets, { query: {} }, ada)).ok.data).toHaveLength(2)
	const org = (await world.ask(getOrg, { params: { orgId: ada.orgId } }, ada)).ok.data
	expect(org).toMatchObject({ tier: 'free', suspended: false, suspensionReasons: [] })
	stripe.payInvoices(subscription)
	await settle()
	expect((await world.ask(createUploadToken, upload, ada)).status).toBe(200)
})

test('a superadmin’s tier counts before a paid one, and the comparison with Stripe keeps it', async () => {
	const { world, ada, stripe, settle } = billing
	const params = { orgId: ada.orgId }
	const tier = async () => (await world.ask(getOrgUsage, { params }, ada)).ok.data.tier
	const override = { tier: 'free' as const, reason: 'agreed by mail', until: '2037-12-31T00:00:00Z' }
	await world.ask(updateOrgTier, { params, body: override }, ada)
	stripe.update(subscription, { price: { lookupKey: 'playhouse_business_month', interval: 'month' } })
	await settle()
	expect(await tier()).toBe('free')
	await world.ask(updateOrgTier, { params, body: { tier: null } }, ada)
	expect(await tier()).toBe('business')
})

test('operators find organizations by the tier that applies', async () => {
	const { world, ada } = billing
	const free = await world.person()
	const found = async (tier: 'free' | 'pro') =>
		(await world.ask(listAllOrgs, { query: { tier } }, ada)).ok.data.map(({ id }) => id)
	expect(await found('pro')).toEqual([ada.orgId])
	expect(await found('free')).toEqual([free.orgId])
	await run(`update orgs set paid_tier_until = ${world.now} where id = '${ada.orgId}' returning 1`)
	expect(await found('pro')).toEqual([])
	expect(await found('free')).toEqual([free.orgId, ada.orgId])
})

test('a paying organization does not count against the limit of free ones, but one in a trial does', async () => {
	const { world, ada, stripe, settle } = billing
	const create = () => world.ask(createOrg, { body: { name: 'Another' } }, ada)
	for (let free = 0; free < 2; free++) expect((await create()).status).toBe(201)
	stripe.update(subscription, { status: 'trialing' })
	await settle()
	expect((await create()).code).toBe('plan_limit')
	stripe.update(subscription, { status: 'active' })
	await settle()
	expect((await create()).status).toBe(201)
	expect((await create()).code).toBe('plan_limit')
	await run(`update orgs set paid_tier_until = ${world.now} where id = '${ada.orgId}' returning 1`)
	expect((await create()).code).toBe('plan_limit')
})

const ofBilling = allOperations.filter(
	({ path, auth }) => path.startsWith('/v1/billing') && auth !== 'public',
)

test.each(ofBilling)('$id is open to admins and owners in person', async (op) => {
	const { world, ada } = billing
	const friend = await world.person()
	const sent = (who: { token?: string; key?: string }) =>
		world.ask(
			op,
			{ body: op === createCheckout ? { tier: 'pro', interval: 'month' } : undefined } as never,
			who,
		)
	const { key } = (
		await world.ask(
			createApiKey,
			{ params: { orgId: ada.orgId }, body: { name: 'k', scopes: ['admin'] } },
			ada,
		)
	).ok.data
	expect((await sent({})).code).toBe('unauthorized')
	expect((await sent({ key })).code).toBe('unauthorized')
	// The token of a friend is for the friend's own organization, of which Ada becomes the owner.
	for (const [role, isAllowed] of [
		['member', false],
		['admin', true],
		['owner', true],
	] as const) {
		await run(
			`update org_members set role = '${role}' where org_id = '${friend.orgId}' and user_id = ${friend.userId} returning 1`,
		)
		expect([role, (await sent(friend)).code !== 'forbidden']).toEqual([role, isAllowed])
	}
})

test('another organization sees and buys only for itself', async () => {
	const { world, ada, account, checkOut } = billing
	const eve = await world.person()
	const before = await account(ada.orgId)
	expect((await world.ask(getBilling, {}, eve)).ok.data).toEqual({
		tier: 'free',
		subscription: null,
		syncedAt: null,
	})
	expect((await checkOut(eve)).status).toBe(200)
	expect((await account(eve.orgId))?.customer_id).not.toBe(before?.customer_id)
	expect(await account(ada.orgId)).toEqual(before)
})

test('reading a subscription costs three statements, and billing never scans a whole table', async () => {
	const { world, ada } = billing
	expect((await world.ask(getBilling, {}, ada)).statements).toHaveLength(3)
	for (const statement of [
		'select org_id from billing_accounts where customer_id = ?',
		'select org_id from billing_accounts where reconcile_at <= ? order by reconcile_at limit 100',
		'select customer_id from billing_closures where due_at <= ? order by due_at limit 20',
		'delete from billing_events where received_at < ?',
		'delete from billing_usage where day < ?',
		"select max(end_ms) from billing_usage where org_id = ? and metric = ? and day < ? and day >= '2037-11-01'",
		"select id from orgs where paid_tier = 'pro' and paid_tier_until > ? order by created_at desc, id desc",
	])
		expect([statement, await world.plan(statement)]).toEqual([
			statement,
			[expect.stringMatching(/^SEARCH .* USING (COVERING )?INDEX/)],
		])
})
