import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { send } from '../../sdk/src/call.ts'
import { createClient } from '../../sdk/src/client.ts'
import { TimeoutError } from '../../sdk/src/errors.ts'
import * as bits from '../../sdk/src/operation.ts'

const getAsset = ['GET /v1/assets/{assetId}'] as const
const updateAsset = ['PATCH /v1/assets/{assetId}', bits.JSON_BODY] as const
const uploadSource = ['PUT /v1/assets/{assetId}/upload', bits.BYTES_BODY] as const

const MINUTE = 60_000
/** Takes 100 seconds at 64 kB/s. */
const LARGE = 6_400_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Never responds; like every fetch, it ends with its signal. */
const stall = (_: unknown, init?: RequestInit) =>
	new Promise<Response>((_, reject) =>
		init?.signal?.addEventListener('abort', () => reject(new Error('aborted'))),
	)
const client = createClient({
	baseUrl: 'https://video.example.com',
	fetch: stall as typeof fetch,
	retries: 0,
})

/** Returns after how many milliseconds a call without a response times out. */
async function measureTimeout(
	...[operation, input, options]: Parameters<typeof send> extends [unknown, ...infer R] ? R : never
) {
	const start = Date.now()
	const late = send(client, operation, input, options).then(
		() => null,
		(error: unknown) => [error instanceof TimeoutError, Date.now() - start],
	)
	await vi.runAllTimersAsync()
	return late
}

test('a call times out after a minute, and one with a file a second later for each 64 kB', async () => {
	const assetId = 'ast_1'
	expect(await measureTimeout(getAsset, { assetId })).toEqual([true, MINUTE])
	expect(await measureTimeout(updateAsset, { assetId, title: 'Film' })).toEqual([true, MINUTE])
	const file = new Blob([new Uint8Array(LARGE)])
	expect(await measureTimeout(uploadSource, { assetId, body: file })).toEqual([true, MINUTE + 100_000])
	expect(await measureTimeout(uploadSource, { assetId, body: file }, { timeoutMs: 10 })).toEqual([true, 10])
	for (const body of [new ArrayBuffer(LARGE), new ReadableStream()])
		expect(await measureTimeout(uploadSource, { assetId, body })).toEqual([true, MINUTE + 31_250_000])
})
