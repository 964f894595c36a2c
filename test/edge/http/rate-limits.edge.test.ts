/** @module-tag d1 */
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { getOrg } from '#schema/contract/accounts/orgs.ts'
import { type TierName, tiers } from '#schema/contract/accounts/tiers.ts'
import { getCurrentMember } from '#schema/contract/community/member/members.ts'
import { createMemberToken } from '#schema/contract/community/member/tokens.ts'
import { requestLimits } from '../../../edge/http/limits/rate-limit-policies.ts'
import type { ShieldName } from '../../../edge/platform/env.ts'
import wranglerToml from '../../../wrangler.toml?raw'
import { openWorld, type Person, type Who, type World } from '../../support/edge/world.ts'
import { start } from '../accounts/identity/impersonation/impersonate.ts'
import { type Community, openCommunity } from '../community/community.ts'

/** The platform's counters with a tenth of the tier's limits, so that a test reaches them within a minute. */
const tenth = (name: ShieldName, limit: number) => ({
	limit: ({ key }: { key: string }) => env[name].limit({ key, limit } as never),
})
const small = {
	SHIELD_FREE: tenth('SHIELD_FREE', 30),
	SHIELD_FREE_CALLER: tenth('SHIELD_FREE_CALLER', 15),
	SHIELD_FREE_SHARE: tenth('SHIELD_FREE_SHARE', 3),
	SHIELD_CREDENTIALS: env.SHIELD_CREDENTIALS,
}

let world: World
let fixture: Community
let key: string
beforeEach(async () => {
	world = await openWorld({ DEFAULT_TIER: 'free', ...(small as unknown as Record<string, string>) })
})
const openFixture = async () => {
	fixture = await openCommunity(world, `club-${crypto.randomUUID().slice(0, 8)}`)
	const body = { name: 'k', scopes: ['read' as const] }
	key = (await world.ask(createApiKey, { params: { orgId: fixture.orgId }, body }, fixture.owner)).ok.data.key
}

const byMember = (who: Who) => world.ask(getCurrentMember, {}, who)
const byKey = () => world.ask(getOrg, { params: { orgId: fixture.orgId } }, { key })
const byPerson = (who: Person) => world.ask(getOrg, { params: { orgId: fixture.orgId } }, who)
/** Sends calls one after the other and returns how many were admitted. */
async function admitted(calls: number, call: () => Promise<{ status: number; headers: Headers }>) {
	let count = 0
	for (let i = 0; i < calls; i++) {
		const { status, headers } = await call()
		if (status === 200) count++
		else expect([status, headers.get('retry-after')]).toEqual([429, '60'])
	}
	return count
}

/** Repeats a scenario that did not run within one minute, because the counters restart with each real minute. */
async function inOneMinute<T>(scenario: () => Promise<T>): Promise<T> {
	for (let tries = 0; tries < 5; tries++) {
		const minute = Math.floor(Date.now() / 60_000)
		const result = await scenario()
		if (Math.floor(Date.now() / 60_000) === minute) return result
	}
	throw new Error('the machine is too slow to run the scenario within one minute')
}

describe('the requests of an organization', () => {
	test('requests of one flooding member get 429 with Retry-After, and others are not affected', async () => {
		const seen = await inOneMinute(async () => {
			await openFixture()
			const [flooding, other] = [await fixture.member(), await fixture.member()]
			return {
				flooding: await admitted(20, () => byMember(flooding)),
				other: await admitted(10, () => byMember(other)),
				key: await admitted(20, byKey),
			}
		})
		expect(seen).toEqual({ flooding: 15, other: 10, key: 20 })
	})

	test('the requests of members share one limit, with a share for each, and without effect on the key', async () => {
		const seen = await inOneMinute(async () => {
			await openFixture()
			const members = [
				await fixture.member(),
				await fixture.member(),
				await fixture.member(),
				await fixture.member(),
			]
			const counts: number[] = []
			for (const member of members) counts.push(await admitted(10, () => byMember(member)))
			return { counts, key: await admitted(10, byKey) }
		})
		expect(seen).toEqual({ counts: [10, 10, 10, 3], key: 10 })
	})

	test('the key of an organization may use up its limit, while its people keep their share', async () => {
		const seen = await inOneMinute(async () => {
			await openFixture()
			// The creation of the key counts as a request too.
			return [await admitted(40, byKey), await admitted(5, () => byPerson(fixture.owner))]
		})
		expect(seen).toEqual([29, 2])
	})

	test('requests of a superadmin who acts as a member do not count against that member', async () => {
		const seen = await inOneMinute(async () => {
			const root = await world.person()
			await openFixture()
			const { token } = await start(world, root, fixture.owner)
			const acted = await admitted(20, () => byPerson({ ...fixture.owner, token }))
			return [acted, await admitted(5, () => byPerson(fixture.owner))]
		})
		expect(seen).toEqual([15, 5])
	})

	test('every response lists the limits that count the request, and a 429 the one that is reached', async () => {
		const [first, refused] = await inOneMinute(async () => {
			await openFixture()
			const member = await fixture.member()
			const one = await byMember(member)
			for (let i = 0; i < 14; i++) await byMember(member)
			return [one, await byMember(member)] as const
		})
		expect([first.status, first.headers.get('ratelimit'), first.headers.get('ratelimit-policy')]).toEqual([
			200,
			null,
			'"caller";q=150;w=60, "members";q=300;w=60',
		])
		expect([
			refused.status,
			refused.headers.get('ratelimit'),
			refused.headers.get('ratelimit-policy'),
		]).toEqual([429, '"caller";r=0;t=60', '"caller";q=150;w=60'])
		expect(refused.error).toBe(
			'too many requests by this caller: at most 150 in 60 seconds; try again in 60 seconds',
		)
	})

	test('a 429 by the limit of an organization names it, and API keys have no limit of their own below it', async () => {
		const [first, refused] = await inOneMinute(async () => {
			await openFixture()
			const one = await byKey()
			for (let i = 0; i < 30; i++) await byKey()
			return [one, await byKey()] as const
		})
		expect(first.headers.get('ratelimit-policy')).toBe('"organization";q=300;w=60')
		expect([refused.status, refused.headers.get('ratelimit')]).toEqual([429, '"organization";r=0;t=60'])
	})

	test('a request that nothing limits has no RateLimit-Policy', async () => {
		world = await openWorld()
		await openFixture()
		const response = await byKey()
		expect([response.status, response.headers.get('ratelimit-policy')]).toEqual([200, null])
	})

	test('the limits of a tier in wrangler.toml are half for one caller and a tenth as the share', () => {
		const counted = Object.fromEntries(
			[
				...wranglerToml.matchAll(
					/name = "(SHIELD_\w+)"\nnamespace_id = "\d+"\nsimple = \{ limit = (\d+), period = 60 \}/g,
				),
			].map(([, name, limit]) => [name, Number(limit)]),
		)
		for (const tier of ['free', 'pro', 'business'] satisfies TierName[]) {
			const name = `SHIELD_${tier.toUpperCase()}`
			const all = tiers[tier].requestsPerMinute as number
			expect([counted[name], counted[`${name}_CALLER`], counted[`${name}_SHARE`]]).toEqual([
				all,
				all / 2,
				all / 10,
			])
		}
		expect(Object.keys(counted)).toHaveLength(13)
		expect(requestLimits).toEqual(counted)
	})
})

describe('issuing member tokens', () => {
	const exchange = (who: Who) =>
		world.ask(createMemberToken, { body: { community_member_id: fixture.owner.memberId } }, who)

	test('issuing member tokens counts per API key: a server may issue 400 a minute from one address', async () => {
		await openFixture()
		const secret = await fixture.key()
		const request = () =>
			new Request(`https://edge.test${createMemberToken.path}`, {
				method: 'POST',
				headers: {
					'x-api-key': secret,
					'cf-connecting-ip': '203.0.113.41',
					'content-type': 'application/json',
				},
				body: JSON.stringify({ community_member_id: fixture.owner.memberId }),
			})
		for (let call = 0; call < 400; call += 40) {
			const answers = await Promise.all(Array.from({ length: 40 }, () => world.fetch(request())))
			expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200))
		}
		expect((await byKey()).status).toBe(200)
	})

	test('issuing member tokens stops at the limit of one key, but not for another key at the same address', async () => {
		world = await openWorld({
			SHIELD_API_KEY: tenth('SHIELD_API_KEY', 20) as unknown as string,
		})
		const seen = await inOneMinute(async () => {
			await openFixture()
			const [one, other] = [await fixture.key(), await fixture.key()]
			return [
				await admitted(25, () => exchange({ key: one })),
				await admitted(5, () => exchange({ key: other })),
			]
		})
		expect(seen).toEqual([20, 5])
	})

	test('issuing member tokens counts requests without a valid key per address', async () => {
		await openFixture()
		const valid = await fixture.key()
		const wrong = `${valid.slice(0, -1)}${valid.endsWith('x') ? 'y' : 'x'}`
		const statuses = await inOneMinute(async () => {
			const ip = `203.0.113.${Math.floor(Math.random() * 200)}`
			const seen: number[] = []
			for (let call = 0; call < 130; call++) seen.push((await exchange({ key: wrong, ip })).status)
			return seen
		})
		expect(statuses).toEqual([...Array(120).fill(401), ...Array(10).fill(429)])
		expect((await exchange({ key: valid, ip: '203.0.113.250' })).status).toBe(200)
	})
})
