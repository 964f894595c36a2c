import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningWorker, startWorker } from '../../support/shared/miniflare-worker.ts'
import { needs } from '../../support/shared/needs.ts'
import { type Answer, askBoth, compareTimes, type Door, makePeople, post } from './pairs.node.ts'
import { signTest } from './sign-test.node.ts'

/** Given by scripts/prove/enumeration.ts: so many pairs of each kind, and their times are judged. */
const LONG_PAIRS = Number(process.env.ENUMERATION_PAIRS ?? 0)
const SHORT_PAIRS = 6
/** With five doors, one run in two hundred cries wolf. */
const SMALLEST_CHANCE = 0.001
/** The password's hash is most of the work; a door that leaves it out is ten times as fast and more. */
const SAME_WORK = 3

let worker: RunningWorker
let people: Awaited<ReturnType<typeof makePeople>>

beforeAll(async () => {
	// The real cost of passwords, as everywhere but in the tests that run inside the Worker.
	worker = await startWorker()
	people = await makePeople(worker, 20 * SHORT_PAIRS + doors.length * LONG_PAIRS)
})
afterAll(() => worker.dispose())

const ask = (path: string, body: unknown) => post(worker.url, path, body)
const sendCode: Door = (email) => ask('/v1/auth/otp/send', { email })

/** Doors that anyone can knock at with an address, and what they say to someone who is not its owner. */
const doors: { name: string; status: number; before?: Door; door: Door }[] = [
	{
		name: 'login with a wrong password',
		status: 401,
		door: (email) => ask('/v1/auth/login', { email, password: 'not the right one' }),
	},
	{ name: 'otp/send', status: 200, door: sendCode },
	{
		name: 'otp/verify with a wrong code',
		status: 401,
		before: sendCode,
		door: (email) => ask('/v1/auth/otp/verify', { email, code: '000000' }),
	},
	{
		name: 'otp/verify without a code sent',
		status: 401,
		door: (email) => ask('/v1/auth/otp/verify', { email, code: '000000' }),
	},
	{
		name: 'otp/verify-signup with a wrong code',
		status: 401,
		before: sendCode,
		door: (email) => ask('/v1/auth/otp/verify-signup', { email, code: '000000', name: 'Ann' }),
	},
]

const withoutTime = ({ ms, ...answer }: Answer) => answer

describe('whether an address has an account', () => {
	it.each(doors)('is not told by the answer of $name', async ({ status, before, door }) => {
		const pairs = people(SHORT_PAIRS)
		if (before) await askBoth(before, pairs)
		const compared = await askBoth(door, pairs)
		const [first] = compared.known
		expect(first).toMatchObject({ status, sql: expect.stringMatching(/^sql;desc="[1-9]"$/) })
		for (const answer of [...compared.known, ...compared.unknown])
			expect(withoutTime(answer)).toEqual(first && withoutTime(first))
	})

	it('does not change how much work a wrong password makes', async () => {
		const login = doors[0]?.door as Door
		const { ratio } = compareTimes(await askBoth(login, people(SHORT_PAIRS)))
		expect(ratio).toBeLessThan(SAME_WORK)
		expect(ratio).toBeGreaterThan(1 / SAME_WORK)
	})

	it('is told by signing up, but only after the work of a password', async () => {
		const signUp: Door = (email) =>
			ask('/v1/auth/signup', { email, password: 'correct horse battery', name: 'Ann' })
		const compared = await askBoth(signUp, people(SHORT_PAIRS))
		expect(new Set(compared.known.map((a) => a.status))).toEqual(new Set([409]))
		expect(new Set(compared.unknown.map((a) => a.status))).toEqual(new Set([201]))
		const { ratio } = compareTimes(compared)
		expect(ratio).toBeGreaterThan(1 / SAME_WORK)
	})
})

describe('over many pairs', needs({ 'to be run by scripts/prove/enumeration.ts': LONG_PAIRS > 0 }), () => {
	it.each(doors)('the time that $name takes tells nobody', async ({ name, before, door }) => {
		const pairs = people(LONG_PAIRS)
		if (before) await askBoth(before, pairs)
		await askBoth(door, people(SHORT_PAIRS))
		const { ms, ratio, slower, chance } = compareTimes(await askBoth(door, pairs))
		console.log(
			`${name.padEnd(38)} known ${ms.known.toFixed(2)} ms, unknown ${ms.unknown.toFixed(2)} ms, ratio ${ratio.toFixed(3)}, known slower in ${slower} of ${LONG_PAIRS}, p ${chance.toFixed(3)}`,
		)
		expect(chance).toBeGreaterThan(SMALLEST_CHANCE)
	})
})

describe('the sign test', () => {
	it('sees nothing in an even split and everything in a lopsided one', () => {
		expect(signTest(5, 5)).toBe(1)
		expect(signTest(0, 10)).toBeCloseTo(2 / 1024, 10)
		expect(signTest(10, 0)).toBeCloseTo(2 / 1024, 10)
		expect(signTest(480, 520)).toBeGreaterThan(0.1)
		expect(signTest(430, 570)).toBeLessThan(0.001)
	})
})
