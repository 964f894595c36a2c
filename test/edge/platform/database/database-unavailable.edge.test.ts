import { afterEach, expect, test, vi } from 'vitest'
import {
	DatabaseUnavailableError,
	fetchDatabase,
	isDatabaseFull,
	isDatabaseUnavailable,
} from '../../../../edge/platform/database/database-unavailable.ts'

afterEach(() => void vi.unstubAllGlobals())

const coded = (code: string) => Object.assign(new Error(code), { code })
const wrapped = (cause: Error) => new Error('Failed query: select 1\nparams: ', { cause })

test.each([
	new DatabaseUnavailableError("the database can't be reached"),
	wrapped(new DatabaseUnavailableError("the database can't be reached")),
	wrapped(new Error('D1_ERROR: Network connection lost.')),
	new Error('D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.'),
	new Error('D1_ERROR: D1 DB reset because its code was updated.'),
	new Error('D1_ERROR: D1 DB is overloaded. Requests queued for too long.'),
	coded('SQLITE_BUSY'),
	wrapped(coded('TRANSACTION_TIMEOUT')),
])('the error %s is reported as an unavailable database', (error) => {
	expect(isDatabaseUnavailable(error)).toBe(true)
})

test.each([
	new Error('D1_ERROR: UNIQUE constraint failed: users.email: SQLITE_CONSTRAINT'),
	new Error('D1_ERROR: no such table: nowhere: SQLITE_ERROR'),
	wrapped(coded('SQLITE_CONSTRAINT')),
	new Error('Failed query: insert into users\nparams: D1_ERROR: Network connection lost.'),
	new TypeError('Network connection lost.'),
	'Network connection lost.',
])('the error %s is not reported as an unavailable database', (error) => {
	expect(isDatabaseUnavailable(error)).toBe(false)
})

test.each([
	wrapped(coded('SQLITE_FULL')),
	wrapped(new Error('D1_ERROR: database or disk is full: SQLITE_FULL')),
	new Error('D1_ERROR: Exceeded maximum DB size'),
])('the error %s is reported as a full database', (error) => {
	expect(isDatabaseFull(error)).toBe(true)
	expect(isDatabaseUnavailable(error)).toBe(false)
})

test.each([
	new Error('D1_ERROR: UNIQUE constraint failed: users.email: SQLITE_CONSTRAINT'),
	new Error('Failed query: insert into users\nparams: SQLITE_FULL'),
	coded('SQLITE_BUSY'),
	'SQLITE_FULL',
])('the error %s is not reported as a full database', (error) => {
	expect(isDatabaseFull(error)).toBe(false)
})

test('the libSQL client sends more concurrent requests than a runtime allows timers', async () => {
	vi.stubGlobal('fetch', async () => new Response('{}'))
	for (let sent = 0; sent <= 10_000; sent++)
		expect((await fetchDatabase(new Request('https://db.test'))).ok).toBe(true)
})

test('a libSQL request without a whole response in time is reported as unavailable', async () => {
	vi.useFakeTimers()
	try {
		const response = async (request: Request, { signal }: { signal: AbortSignal }) =>
			new Response(
				new ReadableStream({
					start(controller) {
						controller.enqueue(new TextEncoder().encode(request.url))
						signal.addEventListener('abort', () => controller.error(signal.reason))
					},
				}),
			)
		vi.stubGlobal('fetch', response)
		const sent = expect(fetchDatabase(new Request('https://db.test'))).rejects.toThrow(
			DatabaseUnavailableError,
		)
		await vi.advanceTimersByTimeAsync(10_000)
		await sent
	} finally {
		vi.useRealTimers()
	}
})
