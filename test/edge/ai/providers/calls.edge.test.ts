import { beforeEach, describe, expect, test } from 'vitest'
import { getAiSettings } from '#schema/contract/ai/settings.ts'
import { getAiStats } from '#schema/contract/operations/stats.ts'
import { transcribeWithProvider } from '../../../../edge/ai/providers/calls/transcribe.ts'
import { DAY, HOUR, MINUTE } from '../../../../edge/platform/clock.ts'
import { KEY, openAi, openProviderWorld, type ProviderWorld, spoken } from './provider.ts'

let studio: ProviderWorld
beforeEach(async () => {
	studio = await openProviderWorld()
	await studio.save({ transcription: { ...openAi, pricePerMinuteMicros: 6_000 } })
	studio.alwaysReply(() => Response.json({ ...spoken, duration: 60 }))
})

const minute = { bytes: new Uint8Array(9), contentType: 'audio/flac', durationSec: 60 }
const transcribe = (language: string | null = null, orgId = studio.ada.orgId) =>
	studio.world.deps((deps) => transcribeWithProvider(deps, orgId, minute, { language }))
const used = async () => (await studio.world.ask(getAiSettings, {}, studio.ada)).ok.data.usedThisMonth
const stats = async () => (await studio.world.ask(getAiStats, {}, studio.ada)).ok.data
const fails = (status: number, headers: Record<string, string> = {}) =>
	studio.alwaysReply(() => new Response(`no ${KEY}`, { status, headers }))

describe('a call of a provider', () => {
	test('a provider call returns the segments, and records seconds, money and time', {
		tags: 'd1',
	}, async () => {
		expect(await transcribe('de')).toMatchObject({
			...{ state: 'completed', provider: 'openai-compatible', model: 'whisper-1' },
			result: { language: 'en', segments: [{ text: 'The quick brown fox.' }] },
		})
		expect(await used()).toEqual({ audioSec: 60, costMicros: 6_000, tokens: 0 })
		expect(await stats()).toEqual({
			providers: [
				{
					...{ provider: 'openai-compatible', purpose: 'transcription' },
					...{ calls24h: 1, open: 0, failures24h: 0, audioSec24h: 60, tokens24h: 0 },
					...{ costMicros24h: 6_000, latencyMs: { p50: expect.any(Number), p95: expect.any(Number) } },
					queueAgeSec: null,
				},
			],
			oldestOpenAgeSec: null,
		})
	})

	test('a provider call settles what the provider measured', { tags: 'd1' }, async () => {
		studio.reply(() => Response.json({ ...spoken, duration: 55 }))
		await transcribe()
		expect(await used()).toEqual({ audioSec: 55, costMicros: 5_500, tokens: 0 })
	})

	test('no provider call is made beyond a limit, even of many concurrent ones', async () => {
		await studio.save({ limits: { audioSecPerMonth: 150 } })
		const outcomes = await Promise.all(Array.from({ length: 5 }, () => transcribe()))
		expect(outcomes.map(({ state }) => state).sort()).toEqual([
			'completed',
			'completed',
			...Array(3).fill('skipped'),
		])
		expect(studio.sent).toHaveLength(2)
		expect((await used()).audioSec).toBe(120)
		await studio.save({ limits: { audioSecPerMonth: null, costMicrosPerMonth: 17_999 } })
		expect(await transcribe()).toMatchObject({ reason: expect.stringMatching(/limit.*2037-12-01/) })
		await studio.save({ limits: { costMicrosPerMonth: 18_000 } })
		expect((await transcribe()).state).toBe('completed')
		studio.world.pass(12 * DAY)
		const { state } = await transcribe()
		expect(state).toBe('completed')
	})

	test('a call that fails before any work is free, and one that may be charged keeps its reservation', async () => {
		fails(500)
		expect(await transcribe()).toEqual({
			...{ state: 'retry', code: 'unavailable' },
			afterMs: MINUTE,
			reason: 'the provider returned 500: no …',
		})
		expect(await used()).toEqual({ audioSec: 0, costMicros: 0, tokens: 0 })
		studio.alwaysReply(() => new Response('<html>'))
		expect((await transcribe()).state).toBe('retry')
		expect(await used()).toEqual({ audioSec: 60, costMicros: 6_000, tokens: 0 })
		expect((await stats()).providers).toMatchObject([{ calls24h: 2, failures24h: 2 }])
		expect(JSON.stringify([await studio.world.dump(), studio.world.logs])).not.toContain(KEY)
	})

	test('a call that never reached the provider is free, and one that broke off later costs its price', {
		tags: 'd1',
	}, async () => {
		const breaks = (message: string) =>
			studio.reply(() => {
				throw new TypeError(message)
			})
		breaks('connection refused')
		expect((await transcribe()).state).toBe('retry')
		expect((await used()).costMicros).toBe(0)
		breaks('Network connection lost.')
		expect((await transcribe()).state).toBe('retry')
		expect((await used()).costMicros).toBe(6_000)
	})

	test.each<[what: string, replies: (() => Response)[]]>([
		['returns text without times', [() => Response.json({ text: 'Hello' })]],
		[
			'accepted the work, and then refuses to be asked',
			[
				() => Response.json({ upload_url: 'https://cdn.example/1' }),
				() => Response.json({ id: 't-1' }),
				() => new Response('no', { status: 503 }),
			],
		],
	])('a provider call keeps its reservation if the provider %s', async (_, replies) => {
		if (replies.length > 1)
			await studio.save({
				transcription: { provider: 'assemblyai', apiKey: KEY, pricePerMinuteMicros: 6_000, baseUrl: null },
			})
		studio.reply(...replies)
		expect((await transcribe()).state).not.toBe('completed')
		expect(await used()).toEqual({ audioSec: 60, costMicros: 6_000, tokens: 0 })
	})

	test('a call is skipped without a provider, and made with the binding of the installation', async () => {
		await studio.save({ transcription: null })
		expect(await transcribe()).toMatchObject({
			state: 'skipped',
			reason: expect.stringContaining('no provider'),
		})
		studio.world.set({ AI: { run: async () => spoken } as unknown as string })
		expect(await transcribe()).toMatchObject({ state: 'completed', provider: 'workers-ai' })
	})

	test('a limit in money rejects calls without a price, even with the binding of the installation', {
		tags: 'd1',
	}, async () => {
		await studio.save({ limits: { costMicrosPerMonth: 1_000_000 } })
		await studio.save({ transcription: null })
		studio.world.set({ AI: { run: async () => spoken } as unknown as string })
		expect(await transcribe()).toEqual({ state: 'skipped', reason: expect.stringContaining('needs a price') })
		await studio.save({ transcription: { provider: 'workers-ai', pricePerMinuteMicros: 500 } })
		expect((await transcribe()).state).toBe('completed')
		expect((await used()).costMicros).toBe(500)
	})

	test.each<[of: string, limit: Record<string, string>]>([
		['seconds', { TRANSCRIPTION_SECONDS_PER_MONTH: '150' }],
		['money', { TRANSCRIPTION_MICROS_PER_MINUTE: '6000', TRANSCRIPTION_MICROS_PER_MONTH: '15000' }],
	])(
		'calls of Workers AI stay within the limit of the installation in %s, whoever makes them',
		async (_, limit) => {
			const binding = { run: async () => spoken } as unknown as string
			studio.world.set({ AI: binding, ...limit })
			const others = [await studio.world.person(), await studio.world.person(), await studio.world.person()]
			// An organization that sets a price of 0 still counts at the installation's price.
			await studio.save({ transcription: { provider: 'workers-ai', pricePerMinuteMicros: 0 } }, others[0])
			const outcomes = await Promise.all(others.map(({ orgId }) => transcribe(null, orgId)))
			expect(outcomes.map(({ state }) => state).sort()).toEqual(['completed', 'completed', 'skipped'])
			expect(outcomes.find(({ state }) => state === 'skipped')).toMatchObject({
				reason: expect.stringMatching(/^the installation's limit .* 2037-12-01$/),
			})
			expect((await transcribe()).state, 'a provider of its own').toBe('completed')
			studio.world.pass(12 * DAY)
			expect((await transcribe(null, others[0]?.orgId)).state).toBe('completed')
		},
	)

	test('a provider call counts in the new month when a clock is behind', async () => {
		studio.world.pass(12 * DAY)
		await transcribe()
		studio.world.pass(-12 * DAY)
		await transcribe()
		expect(await used()).toEqual({ audioSec: 120, costMicros: 12_000, tokens: 0 })
		fails(500)
		await transcribe()
		expect((await used()).audioSec, 'a failure is settled in the month of its reservation').toBe(120)
	})

	test('no provider call is made for a deleted organization', async () => {
		studio.world.set({ AI: { run: async () => spoken } as unknown as string })
		const outcome = await transcribe(null, 'org_00000000000000000000000000')
		expect(outcome).toEqual({ state: 'skipped', reason: 'the organization was deleted' })
	})
})

describe('the breaker of a provider', () => {
	test('the breaker opens after five failures, then admits one call at a time, and closes on success', async () => {
		fails(503)
		for (let i = 0; i < 5; i++) await transcribe()
		expect(studio.sent).toHaveLength(5)
		expect(await transcribe()).toMatchObject({ state: 'retry', reason: expect.stringContaining('pause') })
		expect(studio.sent).toHaveLength(5)
		studio.world.pass(MINUTE)
		expect((await Promise.all([transcribe(), transcribe(), transcribe()])).map(({ state }) => state)).toEqual(
			Array(3).fill('retry'),
		)
		expect(studio.sent).toHaveLength(6)
		studio.world.pass(MINUTE)
		await transcribe()
		expect(studio.sent, 'the second pause is longer').toHaveLength(6)
		studio.world.pass(HOUR)
		studio.alwaysReply(() => Response.json(spoken))
		expect((await transcribe()).state).toBe('completed')
		expect((await transcribe()).state).toBe('completed')
	})

	test('the breaker opens equally long whether calls fail one after another or all at once', async () => {
		const everySent = Promise.withResolvers<void>()
		studio.alwaysReply(async () => {
			if (studio.sent.length === 8) everySent.resolve()
			await everySent.promise
			return new Response('no', { status: 503 })
		})
		await Promise.all(Array.from({ length: 8 }, () => transcribe()))
		studio.world.pass(MINUTE)
		studio.alwaysReply(() => Response.json(spoken))
		expect((await transcribe()).state).toBe('completed')
	})

	/** Makes a call that the provider answers when told, and resolves when it was sent. */
	const holdCall = async () => {
		const sent = Promise.withResolvers<void>()
		const reply = Promise.withResolvers<Response>()
		studio.reply(() => {
			sent.resolve()
			return reply.promise
		})
		const outcome = transcribe()
		await sent.promise
		return (status: number) => {
			reply.resolve(new Response('no', { status }))
			return outcome
		}
	}

	test('the breaker keeps the reason of a rejected key when an earlier call fails later', async () => {
		const answer = await holdCall()
		fails(401)
		await transcribe()
		expect((await answer(503)).state).toBe('retry')
		expect(await transcribe()).toMatchObject({ state: 'failed', code: 'unauthorized' })
		expect(studio.sent).toHaveLength(2)
	})

	test('the breaker stays closed when a call with the former key is rejected', async () => {
		const answer = await holdCall()
		studio.world.pass(1)
		await studio.save({ transcription: { apiKey: `${KEY}2` } })
		expect(await answer(401)).toMatchObject({ state: 'failed', code: 'unauthorized' })
		expect((await transcribe()).state).toBe('completed')
	})

	test('the breaker waits as long as the provider asks', async () => {
		fails(429, { 'retry-after': '90' })
		expect(await transcribe()).toMatchObject({ state: 'retry', afterMs: 90_000 })
		studio.world.pass(80_000)
		expect(await transcribe()).toMatchObject({ state: 'retry', afterMs: 10_000 })
		expect(studio.sent).toHaveLength(1)
		studio.world.pass(10_000)
		await transcribe()
		expect(studio.sent).toHaveLength(2)
	})

	test.each([401, 402])(
		'the breaker opens at once after %i, with the reason, and closes with new settings',
		async (status) => {
			fails(status)
			const failed = await transcribe()
			const code = status === 401 ? 'unauthorized' : 'out_of_credit'
			expect(failed).toMatchObject({ state: 'failed', code, reason: `the provider returned ${status}: no …` })
			expect(await transcribe()).toMatchObject({
				...{ state: 'failed', code },
				reason: `the provider returned ${status}: no …`,
			})
			await studio.save({
				transcription: { language: 'de', pricePerMinuteMicros: 5_000 },
				languageModel: { provider: 'anthropic', model: 'm', apiKey: KEY },
				limits: { audioSecPerMonth: 900 },
			})
			expect(await transcribe(), 'other changes leave it open').toMatchObject({ state: 'failed', code })
			expect(studio.sent).toHaveLength(1)
			studio.alwaysReply(() => Response.json(spoken))
			await studio.save({ transcription: { apiKey: `${KEY}2` } })
			expect((await transcribe()).state).toBe('completed')
		},
	)

	test('the breaker stays closed when the audio is at fault, and for other organizations', {
		tags: 'd1',
	}, async () => {
		fails(400)
		for (let i = 0; i < 6; i++) expect((await transcribe()).state).toBe('failed')
		expect(studio.sent).toHaveLength(6)
		fails(401)
		await transcribe()
		studio.alwaysReply(() => Response.json(spoken))
		const other = await studio.world.person()
		await studio.save({ transcription: openAi }, other)
		expect((await transcribe(null, other.orgId)).state).toBe('completed')
	})
})
