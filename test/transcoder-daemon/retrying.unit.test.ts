import { describe, expect, test } from 'vitest'
import { type Retrying, retryDelayMs, withRetries } from '../../transcoder-daemon/retrying.ts'

const backoff = { firstMs: 100, capMs: 1_000 }
const policy = { maxTries: 4, backoff, isRetryable: (error: unknown) => error !== 'final' }

describe('delay', () => {
	test.each([
		[1, 200],
		[2, 400],
		[3, 800],
	])('the retry delay doubles after try %i to %i ms', (tries, ms) => {
		expect(retryDelayMs('temporary', tries, policy, () => 1)).toBe(ms)
	})

	test('there is no retry delay after the last try', () => {
		expect(retryDelayMs('temporary', 4, policy, () => 1)).toBeNull()
	})

	test('there is no retry delay after a final error', () => {
		expect(retryDelayMs('final', 1, policy, () => 1)).toBeNull()
	})

	test('a longer delay that the error requires replaces the retry delay', () => {
		const withMinimum = {
			...policy,
			delayMs: (_error: unknown, defaultMs: number) => Math.max(300, defaultMs),
		}
		expect(retryDelayMs('temporary', 1, withMinimum, () => 1)).toBe(300)
		expect(retryDelayMs('temporary', 2, withMinimum, () => 1)).toBe(400)
	})
})

/** Work that throws each of these errors in turn and then returns `done`. */
function failing(...errors: unknown[]) {
	const calls: string[] = []
	return {
		calls,
		async work() {
			calls.push('try')
			if (errors.length > 0) throw errors.shift()
			return 'done'
		},
		options(more: Partial<Retrying> = {}): Retrying {
			return {
				...policy,
				random: () => 1,
				signal: new AbortController().signal,
				async sleep(ms) {
					calls.push(`sleep ${ms}`)
				},
				...more,
			}
		},
	}
}

describe('retries', () => {
	test('retries stop at the first success', async () => {
		const { work, options, calls } = failing('one', 'two')
		await expect(withRetries(work, options())).resolves.toBe('done')
		expect(calls).toEqual(['try', 'sleep 200', 'try', 'sleep 400', 'try'])
	})

	test('retries reject with the converted error of the last try', async () => {
		const { work, options, calls } = failing(1, 2, 3, 4)
		const toFinalError = (error: unknown) => new Error(`after ${error}`)
		await expect(withRetries(work, options({ toFinalError }))).rejects.toThrow('after 4')
		expect(calls.filter((call) => call === 'try')).toHaveLength(4)
	})

	test('retries reject at once with a final error', async () => {
		const { work, options, calls } = failing('final')
		await expect(withRetries(work, options())).rejects.toBe('final')
		expect(calls).toEqual(['try'])
	})

	test('retries do not sleep for a delay of 0', async () => {
		const { work, options, calls } = failing('one')
		await withRetries(work, options({ delayMs: () => 0 }))
		expect(calls).toEqual(['try', 'try'])
	})

	test('retries prepare another try only if there is one', async () => {
		const { work, options, calls } = failing(1, 'final')
		const beforeRetry = async (error: unknown) => void calls.push(`prepare ${error}`)
		await expect(withRetries(work, options({ beforeRetry }))).rejects.toBe('final')
		expect(calls).toEqual(['try', 'prepare 1', 'sleep 200', 'try'])
	})

	test('retries reject with an error of the check before each try, unconverted', async () => {
		const { work, options, calls } = failing('one')
		const beforeTry = () => {
			if (calls.length > 0) throw new Error('lease lost')
		}
		const toFinalError = () => new Error('converted')
		await expect(withRetries(work, options({ beforeTry, toFinalError }))).rejects.toThrow('lease lost')
	})

	test('retries reject with the reason of a signal that ends the sleep', async () => {
		const stop = new AbortController()
		const { work, options, calls } = failing('one', 'two')
		const sleep = async () => stop.abort(new Error('stopped'))
		await expect(withRetries(work, options({ sleep, signal: stop.signal }))).rejects.toThrow('stopped')
		expect(calls).toEqual(['try'])
	})
})
