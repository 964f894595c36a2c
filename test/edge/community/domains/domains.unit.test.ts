import { describe, expect, test } from 'vitest'
import { isFreeSlug, publicSlugSchema } from '#schema/contract/kit/slug.ts'
import { createSlug } from '../../../../edge/accounts/orgs/slug.ts'
import { computeNextClaimCheck, judgeDomain } from '../../../../edge/community/domains/verdict.ts'
import { DAY, HOUR, MINUTE } from '../../../../edge/platform/clock.ts'
import { parseTxtResponse, type TxtLookup } from '../../../../edge/platform/network/dns.ts'

describe('slugs', () => {
	test.each(['api', 'www', 'admin', 'app', 'mail', 'static', 'xn--bcher-kva', 'ab--c'])(
		'rejects the reserved slug %s',
		(slug) => {
			expect(publicSlugSchema(63).safeParse(slug).success).toBe(false)
		},
	)

	test('no reserved slug is derived from a name', () => {
		for (const name of ['API', 'Www', 'Mail', '']) expect(isFreeSlug(createSlug(name))).toBe(true)
	})
})

describe('DNS answers', () => {
	test.each<[string, unknown, TxtLookup['kind'], string[]?]>([
		['a value of several strings', { Status: 0, Answer: [{ type: 16, data: '"a" "b"' }] }, 'answer', ['ab']],
		['no quotes', { Status: 0, Answer: [{ type: 16, data: 'ab' }] }, 'answer', ['ab']],
		[
			'an alias',
			{
				Status: 0,
				Answer: [
					{ type: 5, data: 'x.' },
					{ type: 16, data: '"a"' },
				],
			},
			'answer',
			['a'],
		],
		['no record', { Status: 0 }, 'answer', []],
		['an unknown name', { Status: 3 }, 'answer', []],
		['a failing name server', { Status: 2 }, 'failed'],
		['a refused query', { Status: 5 }, 'failed'],
		['a truncated answer', { Status: 0, TC: true }, 'failed'],
		['other JSON', { hello: 1 }, 'failed'],
		['a text', 'x', 'failed'],
	])('a DNS answer with %s is parsed', (_, json, kind, values) => {
		expect(parseTxtResponse(json)).toMatchObject({ kind, ...(values && { values }) })
	})
})

describe('verdicts on a claim', () => {
	const now = Date.UTC(2027, 0, 1)
	const fresh = { proof: 'p', claimedAt: now, verifiedAt: null, missingSince: null }
	const verified = { ...fresh, claimedAt: now - 30 * DAY, verifiedAt: now - 29 * DAY }
	const answer = (...values: string[]): TxtLookup => ({ kind: 'answer', values })
	const failed: TxtLookup = { kind: 'failed', reason: 'x' }

	test('proves a claim only by its own value', () => {
		expect(judgeDomain(fresh, answer('other', 'playhouse-verification=p'), now).kind).toBe('proved')
		for (const value of [
			'p',
			'playhouse-verification=',
			'playhouse-verification=p2',
			' playhouse-verification=p',
		])
			expect(judgeDomain(fresh, answer(value), now)).toMatchObject({
				kind: 'unproved',
				problem: 'wrong_value',
			})
		expect(judgeDomain(fresh, answer(), now)).toMatchObject({ kind: 'unproved', problem: 'missing' })
	})

	test('keeps a domain verified however long the lookups fail', () => {
		expect(judgeDomain(verified, failed, now)).toEqual({
			kind: 'unproved',
			problem: 'unreachable',
			missingSince: null,
			nextCheckAt: now + HOUR,
		})
		const missing = { ...verified, missingSince: now - 30 * DAY }
		expect(judgeDomain(missing, failed, now)).toMatchObject({
			kind: 'unproved',
			missingSince: now - 30 * DAY,
		})
	})

	test('unverifies a domain after three days without its record, not before', () => {
		expect(judgeDomain(verified, answer(), now)).toMatchObject({ problem: 'missing', missingSince: now })
		const since = (missingSince: number) => judgeDomain({ ...verified, missingSince }, answer('x'), now)
		expect(since(now - 3 * DAY + 1)).toMatchObject({ kind: 'unproved', missingSince: now - 3 * DAY + 1 })
		expect(since(now - 3 * DAY).kind).toBe('lost')
		expect(since(now + DAY), 'a start in the future comes from a wrong clock').toMatchObject({
			missingSince: now,
		})
	})

	test('schedules checks at growing intervals for 14 days', () => {
		expect(computeNextClaimCheck(now, now)).toBe(now + 10 * MINUTE)
		expect(computeNextClaimCheck(now + DAY, now)).toBe(now + 10 * MINUTE)
		expect(computeNextClaimCheck(now - 2 * HOUR, now)).toBe(now + 2 * HOUR)
		expect(computeNextClaimCheck(now - 5 * DAY, now)).toBe(now + DAY)
		expect(computeNextClaimCheck(now - 14 * DAY, now)).toBeNull()
	})
})
