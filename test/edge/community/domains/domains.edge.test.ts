import { beforeEach, describe, expect, test } from 'vitest'
import { createOrg } from '#schema/contract/accounts/orgs.ts'
import {
	createCommunity,
	getCommunity,
	updateCommunity,
} from '#schema/contract/community/manage/communities.ts'
import { checkCommunityDomain, getCommunityDomain } from '#schema/contract/community/manage/domains.ts'
import { getCurrentMember } from '#schema/contract/community/member/members.ts'
import { checkDueDomains } from '../../../../edge/community/domains/domains.ts'
import { DAY, HOUR, MINUTE } from '../../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { select } from '../community.ts'

const DOMAIN = 'club.example.org'
/** TXT records by name; a number is the DNS error code to return. */
let zone: Record<string, string[] | number>
let queriedNames: string[]
let world: World
let ada: Person
let bob: Person
let fixture: string

async function resolve(url: string): Promise<Response> {
	const { searchParams } = new URL(url)
	const name = searchParams.get('name') ?? ''
	queriedNames.push(name)
	const known = zone[name]
	if (typeof known === 'number') return Response.json({ Status: known })
	const answer = known?.map((value) => ({ name, type: 16, TTL: 60, data: `"${value}"` }))
	return Response.json({ Status: answer ? 0 : 3, Answer: answer })
}

beforeEach(async () => {
	zone = {}
	queriedNames = []
	world = await openWorld({}, { fetch: resolve })
	ada = await world.person()
	bob = await world.person()
	fixture = await create(ada, 'club', DOMAIN)
})

const create = async (who: Person, slug: string, customDomain: string | null) =>
	String((await world.ask(createCommunity, { body: { name: slug, slug, customDomain } }, who)).ok.data.id)
const at = (communityId: string) => ({ params: { communityId } })
const show = async (id = fixture, who = ada) => (await world.ask(getCommunityDomain, at(id), who)).ok.data
const check = async (id = fixture, who = ada) => {
	world.pass(MINUTE)
	return (await world.ask(checkCommunityDomain, at(id), who)).ok.data
}
/** Adds the record that a claim requires to the existing ones. */
const publish = async (id = fixture, who = ada) => {
	const { name, value } = (await show(id, who)).record
	const known = zone[name]
	zone[name] = [...(Array.isArray(known) ? known : []), value]
}
/** Advances the clock by this duration and runs every check when it is due. */
const advance = async (ms: number) => {
	const end = world.now + ms
	for (;;) {
		const [due] = await select<{ at: number | null }>(
			world,
			'select min(domain_check_at) as at from communities',
		)
		if (!due || due.at === null || due.at > end) break
		world.pass(Math.max(0, due.at - world.now))
		await world.perform(checkDueDomains)
	}
	world.pass(Math.max(0, end - world.now))
	// Sessions end after a day.
	if (ms >= DAY) for (const who of [ada, bob]) who.token = await world.logIn(who)
}
/** Returns the id of the community to which the API resolves a host, or the error status. */
const resolvedCommunity = async (who: Person, host = DOMAIN, headers: Record<string, string> = {}) => {
	const request = new Request(`https://${host}${getCurrentMember.path}`, {
		headers: { authorization: `Bearer ${who.token}`, ...headers },
	})
	const response = await world.fetch(request)
	const body = (await response.json()) as { community?: { id: number } }
	return body.community ? String(body.community.id) : response.status
}

describe('custom domains', () => {
	test('ignores an unverified domain when it resolves the community of a host', { tags: 'd1' }, async () => {
		const theirs = await create(bob, 'theirs', null)
		expect(await resolvedCommunity(bob)).toBe(theirs)
		expect(await resolvedCommunity(bob, DOMAIN, { 'x-community-id': theirs })).toBe(theirs)
		await publish()
		await check()
		expect(await resolvedCommunity(bob)).toBe(403)
		expect(await resolvedCommunity(ada)).toBe(fixture)
		expect(await resolvedCommunity(ada, `${DOMAIN}.`)).toBe(fixture)
	})

	test('shows the required record, the problem and the next check', { tags: 'd1' }, async () => {
		expect(await show()).toEqual({
			domain: DOMAIN,
			state: 'unverified',
			record: {
				type: 'TXT',
				name: `_playhouse.${DOMAIN}`,
				value: expect.stringMatching(/^playhouse-verification=\w{32}$/),
			},
			verifiedAt: null,
			checkedAt: null,
			nextCheckAt: expect.any(String),
			lostAt: null,
			problem: null,
		})
		const before = await check()
		expect(before).toMatchObject({ state: 'unverified', checkedAt: expect.any(String) })
		expect(before.problem).toContain(`there is no TXT record at _playhouse.${DOMAIN}`)
		zone[`_playhouse.${DOMAIN}`] = ['v=spf1 -all', 'playhouse-verification=other']
		expect((await check()).problem).toContain('other values')
		zone[`_playhouse.${DOMAIN}`] = 2
		expect((await check()).problem).toContain('did not answer')
		zone = {}
		await publish()
		expect(await check()).toMatchObject({ state: 'verified', problem: null, lostAt: null })
		expect(new Set(queriedNames)).toEqual(new Set([`_playhouse.${DOMAIN}`]))
	})

	test('verifies a domain automatically and checks less often while the record is missing', {
		tags: 'd1',
	}, async () => {
		await advance(20 * DAY)
		expect(queriedNames.length).toBeLessThan(25)
		expect((await show()).nextCheckAt).toBeNull()
		const lookups = queriedNames.length
		await advance(2 * DAY)
		expect(queriedNames).toHaveLength(lookups)
		const late = await create(ada, 'late', 'late.example.org')
		await publish(late)
		await world.cron('* * * * *')
		expect((await show(late)).state).toBe('verified')
	})

	test('keeps a domain verified while name servers or the resolver fail', { tags: 'd1' }, async () => {
		await publish()
		await check()
		const record = zone[`_playhouse.${DOMAIN}`] as string[]
		zone[`_playhouse.${DOMAIN}`] = 2
		await advance(10 * DAY)
		expect(await show()).toMatchObject({ state: 'verified', problem: expect.stringContaining('not answer') })
		expect(await resolvedCommunity(ada)).toBe(fixture)
		zone[`_playhouse.${DOMAIN}`] = record
		await advance(HOUR)
		expect(await show()).toMatchObject({ state: 'verified', problem: null })
	})

	test('unverifies a domain after three days without its record, unless the record returns', async () => {
		await publish()
		await check()
		const record = zone[`_playhouse.${DOMAIN}`] as string[]
		zone = {}
		await advance(3 * DAY)
		expect(await show()).toMatchObject({ state: 'missing', lostAt: expect.any(String) })
		expect(await resolvedCommunity(ada)).toBe(fixture)
		zone[`_playhouse.${DOMAIN}`] = record
		await advance(6 * HOUR)
		expect(await show()).toMatchObject({ state: 'verified', lostAt: null, problem: null })
		zone = {}
		await advance(5 * DAY)
		expect(await show()).toMatchObject({ state: 'unverified', verifiedAt: null })
		const theirs = await create(bob, 'theirs', null)
		expect(await resolvedCommunity(bob)).toBe(theirs)
	})

	test('lets several communities claim a domain, and moves it only once its holder’s record is removed', {
		tags: 'd1',
	}, async () => {
		const competitor = await create(bob, 'competitor', DOMAIN)
		await publish()
		await check()
		expect((await check(competitor, bob)).problem).toContain('other values')
		await publish(competitor, bob)
		expect(await check(competitor, bob)).toMatchObject({
			state: 'unverified',
			problem: expect.stringContaining('another community has verified this domain'),
		})
		expect([await resolvedCommunity(ada), await resolvedCommunity(bob)]).toEqual([fixture, 403])
		zone = {}
		await publish(competitor, bob)
		expect(await check(competitor, bob)).toMatchObject({ state: 'verified', problem: null })
		expect([await resolvedCommunity(ada), await resolvedCommunity(bob)]).toEqual([403, competitor])
		expect(await show()).toMatchObject({
			state: 'unverified',
			problem: expect.stringContaining('another community verified this domain'),
		})
		await publish()
		expect((await check()).problem).toContain('another community has verified')
	})

	test('verifies one of two claims that are checked concurrently', async () => {
		const competitor = await create(bob, 'competitor', DOMAIN)
		await publish()
		await publish(competitor, bob)
		await world.cron('* * * * *')
		const states = [(await show()).state, (await show(competitor, bob)).state]
		expect(states.sort()).toEqual(['unverified', 'verified'])
		const verified = 'select 1 from communities where domain_verified_at is not null'
		expect(await select(world, verified)).toHaveLength(1)
	})

	test('issues a new value for a changed domain and keeps the value of an unchanged one', {
		tags: 'd1',
	}, async () => {
		await publish()
		await check()
		const first = (await show()).record.value
		const change = (customDomain: string | null) =>
			world.ask(updateCommunity, { ...at(fixture), body: { customDomain } }, ada)
		await change(DOMAIN.toUpperCase())
		expect(await show()).toMatchObject({ state: 'verified', record: { value: first } })
		await change('other.example.org')
		expect(await show()).toMatchObject({ state: 'unverified', domain: 'other.example.org', checkedAt: null })
		await change(DOMAIN)
		expect((await check()).state).toBe('unverified')
		expect((await show()).record.value).not.toBe(first)
		await change(null)
		expect((await world.ask(getCommunityDomain, at(fixture), ada)).status).toBe(404)
		expect((await world.ask(checkCommunityDomain, at(fixture), ada)).status).toBe(404)
	})

	test('limits requested checks to one per minute, even after the domain changes', async () => {
		await check()
		const again = () => world.ask(checkCommunityDomain, at(fixture), ada)
		const refused = await again()
		expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
		for (const customDomain of ['other.example.org', DOMAIN])
			await world.ask(updateCommunity, { ...at(fixture), body: { customDomain } }, ada)
		expect((await again()).status).toBe(429)
		expect(queriedNames).toHaveLength(1)
		expect((await world.ask(checkCommunityDomain, at(fixture), bob)).status).toBe(404)
		world.pass(MINUTE)
		expect((await again()).status).toBe(200)
	})
})

describe('hosts of the installation', { tags: 'd1' }, () => {
	beforeEach(() =>
		world.set({
			PUBLIC_URL: 'https://api.communities.test',
			FRONTEND_URL: 'https://playhouse.example:8443/app',
			PLAYER_URL: 'https://player.example.net',
			S3_ENDPOINT: 'https://s3.example.net',
			S3_ACCESS_KEY_ID: 'k',
			S3_SECRET_ACCESS_KEY: 's',
			COMMUNITY_BASE_DOMAIN: 'communities.test',
		}),
	)

	test.each([
		'api.communities.test',
		'API.Communities.test',
		'playhouse.example',
		'player.example.net',
		's3.example.net',
		'communities.test',
		'club.communities.test',
		'a.b.communities.test',
		'127.0.0.1',
		'localhost',
		'club.example.org.',
		'club.example.org:443',
		'xn--.example',
	])('rejects a claim to %s', async (customDomain) => {
		const refused = await world.ask(createCommunity, { body: { name: 'X', slug: 'x', customDomain } }, ada)
		expect([refused.status, refused.error]).toEqual([400, expect.stringContaining('customDomain')])
		const changed = await world.ask(updateCommunity, { ...at(fixture), body: { customDomain } }, ada)
		expect(changed.status).toBe(400)
		expect((await world.ask(getCommunity, at(fixture), ada)).ok.data.customDomain).toBe(DOMAIN)
	})

	test('no host of the installation resolves to a community', async () => {
		await select(
			world,
			`update communities set slug = 'api', custom_domain = 'playhouse.example', domain_verified_at = 1 where id = ${fixture} returning 1`,
		)
		const theirs = await create(bob, 'theirs', null)
		for (const host of ['api.communities.test', 'playhouse.example', 's3.example.net'])
			expect(await resolvedCommunity(bob, host), host).toBe(theirs)
		expect(await resolvedCommunity(bob, 'theirs.communities.test')).toBe(theirs)
	})
})

test.each(['api', 'www', 'admin', 'app', 'mail', 'static', 'xn--bcher-kva'])(
	'rejects the reserved slug %s for communities and organizations',
	{ tags: 'd1' },
	async (slug) => {
		const statuses = [
			await world.ask(createCommunity, { body: { name: 'X', slug } }, ada),
			await world.ask(updateCommunity, { ...at(fixture), body: { slug } }, ada),
			await world.ask(createOrg, { body: { name: 'X', slug } }, ada),
		].map(({ status }) => status)
		expect(statuses).toEqual([400, 400, 400])
	},
)
