import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'
import { needs } from '../../../support/shared/needs.ts'
import { type Answer, askBoth, compareTimes, type EmailRequest, makePeople, post } from './pairs.node.ts'
import { signTest } from './sign-test.node.ts'

/** The number of pairs per endpoint whose times are compared. npm run prove -- enumeration sets it. */
const LONG_PAIRS = Number(process.env.ENUMERATION_PAIRS ?? 0)
const SHORT_PAIRS = 6
/** With five endpoints, one run in 200 fails although the times are equal. */
const SMALLEST_CHANCE = 0.001
/** Hashing the password is most of the work: an endpoint that skips it is more than ten times as fast. */
const SAME_WORK = 3

let worker: RunningWorker
let people: Awaited<ReturnType<typeof makePeople>>

beforeAll(async () => {
	// Uses the real password cost, unlike the tests that run inside the Worker.
	worker = await startWorker({ hasSlowPasswords: true })
	people = await makePeople(worker, 20 * SHORT_PAIRS + endpoints.length * LONG_PAIRS)
})
afterAll(() => worker.dispose())

const ask = (path: string, body: unknown) => post(worker.url, path, body)
const sendCode: EmailRequest = (email) => ask('/v1/auth/otp/send', { email })

/** Endpoints that take an address, with the answer for a caller who does not own it. */
const endpoints: { name: string; status: number; before?: EmailRequest; request: EmailRequest }[] = [
	{
		name: 'login with a wrong password',
		status: 401,
		request: (email) => ask('/v1/auth/login', { email, password: 'not the right one' }),
	},
	{ name: 'otp/send', status: 200, request: sendCode },
	{
		name: 'otp/verify with a wrong code',
		status: 401,
		before: sendCode,
		request: (email) => ask('/v1/auth/otp/verify', { email, code: '000000' }),
	},
	{
		name: 'otp/verify without a code sent',
		status: 401,
		request: (email) => ask('/v1/auth/otp/verify', { email, code: '000000' }),
	},
	{
		name: 'otp/verify-signup with a wrong code',
		status: 401,
		before: sendCode,
		request: (email) => ask('/v1/auth/otp/verify-signup', { email, code: '000000', name: 'Ann' }),
	},
]

const withoutTime = ({ ms, ...answer }: Answer) => answer

describe('enumeration of addresses', () => {
	it.each(endpoints)(
		'the answer of $name does not reveal whether an address has an account',
		async ({ status, before, request }) => {
			const pairs = people(SHORT_PAIRS)
			if (before) await askBoth(before, pairs)
			const compared = await askBoth(request, pairs)
			const [first] = compared.known
			expect(first).toMatchObject({ status, sql: expect.stringMatching(/^sql;desc="[1-9]"$/) })
			for (const answer of [...compared.known, ...compared.unknown])
				expect(withoutTime(answer)).toEqual(first && withoutTime(first))
		},
	)

	it('a wrong password takes the same work whether or not the address has an account', async () => {
		const login = endpoints[0]?.request as EmailRequest
		const { ratio } = compareTimes(await askBoth(login, people(SHORT_PAIRS)))
		expect(ratio).toBeLessThan(SAME_WORK)
		expect(ratio).toBeGreaterThan(1 / SAME_WORK)
	})

	it('a sign-up reveals an existing account, but only after a password was hashed', async () => {
		const signUp: EmailRequest = (email) =>
			ask('/v1/auth/signup', { email, password: 'correct horse battery', name: 'Ann' })
		const compared = await askBoth(signUp, people(SHORT_PAIRS))
		expect(new Set(compared.known.map((a) => a.status))).toEqual(new Set([409]))
		expect(new Set(compared.unknown.map((a) => a.status))).toEqual(new Set([201]))
		const { ratio } = compareTimes(compared)
		expect(ratio).toBeGreaterThan(1 / SAME_WORK)
	})
})

describe('with many pairs', needs({ 'to be run by npm run prove -- enumeration': LONG_PAIRS > 0 }), () => {
	it.each(endpoints)(
		'the response time of $name does not reveal whether an address has an account',
		async ({ name, before, request }) => {
			const pairs = people(LONG_PAIRS)
			if (before) await askBoth(before, pairs)
			await askBoth(request, people(SHORT_PAIRS))
			const { ms, ratio, slower, chance } = compareTimes(await askBoth(request, pairs))
			console.log(
				`${name.padEnd(38)} known ${ms.known.toFixed(2)} ms, unknown ${ms.unknown.toFixed(2)} ms, ratio ${ratio.toFixed(3)}, known slower in ${slower} of ${LONG_PAIRS}, p ${chance.toFixed(3)}`,
			)
			expect(chance).toBeGreaterThan(SMALLEST_CHANCE)
		},
	)
})

describe('the sign test', () => {
	it('the sign test gives an even split a high chance and a lopsided one a low chance', () => {
		expect(signTest(5, 5)).toBe(1)
		expect(signTest(0, 10)).toBeCloseTo(2 / 1024, 10)
		expect(signTest(10, 0)).toBeCloseTo(2 / 1024, 10)
		expect(signTest(480, 520)).toBeGreaterThan(0.1)
		expect(signTest(430, 570)).toBeLessThan(0.001)
	})
})
