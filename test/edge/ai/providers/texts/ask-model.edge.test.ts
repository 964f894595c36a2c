import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { getAiSettings } from '#schema/contract/ai/settings.ts'
import { getAiStats } from '#schema/contract/operations/stats.ts'
import { askModel } from '../../../../../edge/ai/providers/calls/ask-model.ts'
import { transcribeWithProvider } from '../../../../../edge/ai/providers/calls/transcribe.ts'
import { DAY, MINUTE } from '../../../../../edge/platform/clock.ts'
import { KEY, openAi, openProviderWorld, type ProviderWorld, spoken } from '../provider.ts'

let studio: ProviderWorld
const prices = { inputPriceMicros: 1_000_000, outputPriceMicros: 4_000_000 }
beforeEach(async () => {
	studio = await openProviderWorld()
	await studio.save({ languageModel: { ...openAi, model: 'gpt', ...prices } })
	studio.alwaysReply(() => reply('{"words":["a"]}'))
})

const reply = (content: string, usage: object | null = { prompt_tokens: 30, completion_tokens: 5 }) =>
	Response.json({ choices: [{ message: { content } }], ...(usage && { usage }) })
const Words = z.object({ words: z.array(z.string()) })
const ask = (orgId = studio.ada.orgId) =>
	studio.world.perform((deps) =>
		askModel(deps, orgId, { task: 'Repeat.', lines: ['a'], maxTokens: 100 }, Words),
	)
const used = async () => (await studio.world.ask(getAiSettings, {}, studio.ada)).ok.data.usedThisMonth
const fails = (status: number, headers: Record<string, string> = {}) =>
	studio.alwaysReply(() => new Response(`no ${KEY}`, { status, headers }))

describe('a call of a language model', () => {
	test('a language model call returns the answer, and settles its tokens and money', async () => {
		expect(await ask()).toEqual({ state: 'completed', answer: { words: ['a'] } })
		expect(await used()).toEqual({ audioSec: 0, tokens: 35, costMicros: 50 })
		expect((await studio.world.ask(getAiStats, {}, studio.ada)).ok.data.providers).toMatchObject([
			{
				provider: 'openai-compatible',
				purpose: 'language-model',
				calls24h: 1,
				tokens24h: 35,
				costMicros24h: 50,
			},
		])
		expect(JSON.stringify([await studio.world.dump(), studio.world.logs])).not.toContain(KEY)
	})

	test.each([
		['nothing', null],
		['other things than numbers', { prompt_tokens: 'many', completion_tokens: 1 }],
		['too much to be true', { prompt_tokens: 1e12, completion_tokens: 1e12 }],
	])('a language model call keeps its reservation if the provider reports %s', async (_, usage) => {
		studio.alwaysReply(() => reply('{"words":["a"]}', usage))
		expect((await ask()).state).toBe('completed')
		const { tokens, costMicros } = await used()
		expect(tokens).toBeGreaterThan(100)
		expect(costMicros).toBe(tokens + 3 * 100)
	})

	test('an unusable answer of a language model costs its tokens, and does not open the breaker', async () => {
		studio.alwaysReply(() => reply('I cannot help with that.'))
		for (let i = 0; i < 6; i++) expect((await ask()).state).toBe('unusable')
		expect(studio.sent).toHaveLength(6)
		expect(await used()).toMatchObject({ tokens: 6 * 35, costMicros: 6 * 50 })
	})

	test('a language model call that was refused before any work costs nothing', async () => {
		fails(500)
		expect(await ask()).toMatchObject({ state: 'retry', reason: 'the provider returned 500: no …' })
		expect(await used()).toMatchObject({ tokens: 0, costMicros: 0 })
	})

	test.each([
		['tokens', { tokensPerMonth: 600 }],
		['money', { costMicrosPerMonth: 900 }],
	])(
		'no language model call is made beyond a limit of %s, even of many concurrent ones',
		async (_, limits) => {
			await studio.save({ limits })
			// Without a report, the first call keeps its whole reservation after it has ended.
			studio.alwaysReply(() => reply('{"words":["a"]}', null))
			const outcomes = await Promise.all(Array.from({ length: 5 }, () => ask()))
			expect(outcomes.filter(({ state }) => state === 'completed')).toHaveLength(1)
			expect(await ask()).toMatchObject({
				...{ state: 'skipped', reason: expect.stringContaining('limit for language models') },
			})
			expect(studio.sent).toHaveLength(1)
		},
	)

	test.each([
		['tokens', { tokensPerMonth: 600 }],
		['money', { costMicrosPerMonth: 900 }],
	])(
		'a language model call is retried in a minute if only open calls use up a limit of %s',
		async (_, limits) => {
			await studio.save({ limits })
			const held = Promise.withResolvers<Response>()
			studio.reply(() => held.promise)
			const first = ask()
			await expect.poll(() => studio.sent.length).toBe(1)
			expect(await ask()).toMatchObject({ state: 'retry', afterMs: MINUTE, code: null })
			held.resolve(reply('{"words":["a"]}'))
			expect((await first).state).toBe('completed')
			expect((await ask()).state).toBe('completed')
		},
	)

	test('a limit in money rejects language model calls without both prices', async () => {
		await studio.save({ limits: { costMicrosPerMonth: 1_000_000 } })
		await studio.world.deps(({ db }) => db.all('update ai_engines set output_price_micros = null'))
		expect(await ask()).toEqual({ state: 'skipped', reason: expect.stringContaining('needs prices') })
		expect(studio.sent).toEqual([])
		await studio.save({ languageModel: { outputPriceMicros: 0 } })
		expect((await ask()).state).toBe('completed')
	})

	test('a refusal of the language model does not open the breaker, and keeps the reservation', async () => {
		studio.alwaysReply(() => Response.json({ choices: [{ message: { refusal: 'I will not.' } }] }))
		for (let i = 0; i < 6; i++) expect(await ask()).toMatchObject({ state: 'failed', code: 'refused' })
		expect(studio.sent).toHaveLength(6)
		expect((await used()).tokens).toBeGreaterThan(6 * 100)
	})

	test('a language model call that broke off after it was sent keeps its reservation', async () => {
		studio.reply(() => {
			throw new TypeError('Network connection lost.')
		})
		expect((await ask()).state).toBe('retry')
		expect((await used()).tokens).toBeGreaterThan(100)
	})

	test('a language model call waits as long as asked, and opens no breaker of transcription', async () => {
		await studio.save({ transcription: openAi })
		fails(429, { 'retry-after': '90' })
		expect(await ask()).toMatchObject({ state: 'retry', afterMs: 90_000 })
		expect(await ask()).toMatchObject({ state: 'retry', reason: expect.stringContaining('pause') })
		expect(studio.sent).toHaveLength(1)
		const audio = { bytes: new Uint8Array(9), contentType: 'audio/flac', durationSec: 1 }
		await studio.world.perform((deps) =>
			transcribeWithProvider(deps, studio.ada.orgId, audio, { language: null }),
		)
		expect(studio.sent).toHaveLength(2)
		studio.world.pass(2 * MINUTE)
		studio.alwaysReply(() => reply('{"words":["a"]}'))
		expect((await ask()).state).toBe('completed')
	})

	test('a language model call with a rejected key fails at once with the reason', async () => {
		fails(401)
		expect(await ask()).toMatchObject({ state: 'failed', code: 'unauthorized' })
		await studio.save({ languageModel: { inputPriceMicros: 2 } })
		expect(await ask()).toMatchObject({ state: 'failed', reason: 'the provider returned 401: no …' })
		expect(studio.sent).toHaveLength(1)
		await studio.save({ languageModel: { apiKey: `${KEY}2` } })
		await ask()
		expect(studio.sent, 'a new key closes the breaker').toHaveLength(2)
	})

	test('a language model call is skipped without a language model', async () => {
		await studio.save({ languageModel: null })
		expect(await ask()).toMatchObject({
			state: 'skipped',
			reason: expect.stringContaining('no language model'),
		})
	})
})

describe('a call of a language model that the installation pays', () => {
	const model = '@cf/meta/llama-3.1-8b-instruct-fast'
	const workersAi = { provider: 'workers-ai' as const, baseUrl: null, model }
	/** Lets one organization use all. */
	const wholeShare = { LANGUAGE_MODEL_TOKENS_PER_ORG: '1000000000' }
	/** Makes Workers AI answer, which reports so many tokens; without a number, none. */
	const bind = (tokens: number | null, vars: Record<string, string>) => {
		const usage = tokens === null ? null : { prompt_tokens: tokens, completion_tokens: 0 }
		const run = async (name: string) =>
			name === model ? { response: { words: ['a'] }, usage } : { ...spoken, duration: 60 }
		studio.world.set({ AI: { run } as unknown as string, ...vars })
	}
	/** Returns the tokens that each call of these tests reserves. */
	const reservedTokens = async () => {
		studio.alwaysReply(() => reply('{"words":["a"]}', null))
		await ask()
		return (await used()).tokens
	}
	const transcribe = () => {
		const audio = { bytes: new Uint8Array(9), contentType: 'audio/flac', durationSec: 60 }
		return studio.world.perform((deps) =>
			transcribeWithProvider(deps, studio.ada.orgId, audio, { language: null }),
		)
	}

	test.each<[of: string, limit: (tokens: number) => Record<string, string>]>([
		[
			'tokens',
			(tokens) => ({ ...wholeShare, LANGUAGE_MODEL_TOKENS_PER_MONTH: String(Math.floor(2.5 * tokens)) }),
		],
		[
			'money',
			(tokens) => ({
				LANGUAGE_MODEL_INPUT_MICROS: '1000000',
				LANGUAGE_MODEL_OUTPUT_MICROS: '1000000',
				LANGUAGE_MODEL_MICROS_PER_MONTH: String(Math.floor(2.5 * tokens)),
			}),
		],
	])(
		'calls paid by the installation stay within its limit of %s, whoever calls at whatever price',
		async (_, limit) => {
			const tokens = await reservedTokens()
			bind(null, limit(tokens))
			const others = [await studio.world.person(), await studio.world.person(), await studio.world.person()]
			const free = { ...workersAi, inputPriceMicros: 0, outputPriceMicros: 0 }
			for (const other of others)
				await studio.save(
					{ languageModel: free, limits: { tokensPerMonth: 1e12, costMicrosPerMonth: 1e12 } },
					other,
				)
			const outcomes = await Promise.all(others.map(({ orgId }) => ask(orgId)))
			expect(outcomes.filter(({ state }) => state === 'completed')).toHaveLength(2)
			expect(await ask(others[0]?.orgId)).toMatchObject({
				state: 'skipped',
				reason: expect.stringMatching(/^the installation's limit for language models .* 2037-12-01$/),
			})
			expect((await ask()).state, 'a provider of its own').toBe('completed')
			studio.world.pass(12 * DAY)
			expect((await ask(others[0]?.orgId)).state).toBe('completed')
		},
	)

	test('a call paid by the installation uses up only what it cost in the end', { tags: 'd1' }, async () => {
		const tokens = await reservedTokens()
		bind(10, { ...wholeShare, LANGUAGE_MODEL_TOKENS_PER_MONTH: String(tokens + 25) })
		await studio.save({ languageModel: workersAi })
		const states: string[] = []
		for (let i = 0; i < 4; i++) states.push((await ask()).state)
		expect(states).toEqual(['completed', 'completed', 'completed', 'skipped'])
	})

	test.each<[share: string, vars: (tokens: number) => Record<string, string>]>([
		['a tenth', (tokens) => ({ LANGUAGE_MODEL_TOKENS_PER_MONTH: String(25 * tokens) })],
		['its share', (tokens) => ({ LANGUAGE_MODEL_TOKENS_PER_ORG: String(Math.floor(2.5 * tokens)) })],
	])(
		'no organization uses more than %s of the limit of the installation, even with concurrent calls',
		async (_, vars) => {
			const tokens = await reservedTokens()
			bind(null, vars(tokens))
			const [greedy, other] = [await studio.world.person(), await studio.world.person()]
			for (const who of [greedy, other]) await studio.save({ languageModel: workersAi }, who)
			const outcomes = await Promise.all(Array.from({ length: 4 }, () => ask(greedy.orgId)))
			expect(outcomes.filter(({ state }) => state === 'completed')).toHaveLength(2)
			expect(await ask(greedy.orgId)).toMatchObject({
				...{ state: 'skipped', reason: expect.stringMatching(/^the organization's share .* 2037-12-01$/) },
			})
			expect((await ask(other.orgId)).state).toBe('completed')
		},
	)

	test('calls paid by the installation have a limit without any variable', { tags: 'd1' }, async () => {
		bind(null, {})
		await studio.save({ languageModel: workersAi })
		await studio.world.deps(({ db }) =>
			db.all(
				`insert into ai_budgets (org_id, month, tokens, updated_at) values ('installation/language-model', '2037-11', 4999900, 1) returning 1`,
			),
		)
		expect(await ask()).toMatchObject({
			state: 'skipped',
			reason: expect.stringContaining("the installation's limit"),
		})
	})

	test('limits of language models and of transcription are separate', async () => {
		const tokens = await reservedTokens()
		bind(null, {
			TRANSCRIPTION_MICROS_PER_MINUTE: '1000',
			TRANSCRIPTION_MICROS_PER_MONTH: '1500',
			TRANSCRIPTION_SECONDS_PER_MONTH: '90',
			LANGUAGE_MODEL_INPUT_MICROS: '1000000',
			LANGUAGE_MODEL_OUTPUT_MICROS: '1000000',
			LANGUAGE_MODEL_MICROS_PER_MONTH: String(4 * tokens),
			...wholeShare,
			LANGUAGE_MODEL_TOKENS_PER_MONTH: String(4 * tokens),
		})
		await studio.save({ languageModel: workersAi, transcription: { provider: 'workers-ai' } })
		for (let i = 0; i < 3; i++) expect((await ask()).state).toBe('completed')
		expect((await transcribe()).state).toBe('completed')
		expect((await transcribe()).state).toBe('skipped')
		expect((await ask()).state).toBe('completed')
		expect((await ask()).state).toBe('skipped')
	})
})

describe('the settings of a language model', () => {
	test('the settings of a language model need both prices for a limit in money', { tags: 'd1' }, async () => {
		const answer = await studio.save({
			languageModel: { outputPriceMicros: null },
			limits: { costMicrosPerMonth: 1 },
		})
		expect(answer.error).toContain('languageModel.outputPriceMicros: is missing')
	})

	test('concurrent changes never leave a limit in money for a language model without a price', async () => {
		for (let i = 0; i < 2; i++) {
			await studio.save({ languageModel: prices, limits: { costMicrosPerMonth: null } })
			const unpriced = { languageModel: { inputPriceMicros: null } }
			const limited = { limits: { costMicrosPerMonth: 5 } }
			const answers = await Promise.all(
				(i % 2 ? [unpriced, limited] : [limited, unpriced]).map((body) => studio.save(body)),
			)
			expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
		}
	})

	test('a test of a language model counts as use, within the limits, even while the breaker is open', async () => {
		fails(401)
		await ask()
		const answer = JSON.stringify({ words: [1, 2].map((number) => ({ number, text: 'pain' })) })
		studio.alwaysReply(() => reply(answer))
		expect((await studio.test({ languageModel: {} })).ok.data.ok).toBe(true)
		expect(await used()).toMatchObject({ tokens: 35, costMicros: 50 })
		expect((await ask()).state, 'a test leaves the breaker as it is').toBe('failed')
		await studio.save({ limits: { tokensPerMonth: 100 } })
		expect((await studio.test({ languageModel: {} })).ok.data).toMatchObject({
			...{ ok: false, problem: expect.stringContaining('limit for language models') },
		})
		expect(studio.sent).toHaveLength(2)
	})

	test('a test of a language model sends two numbered texts', { tags: 'd1' }, async () => {
		const words = { words: [1, 2].map((number) => ({ number, text: 'pain' })) }
		studio.alwaysReply(() => reply(JSON.stringify(words)))
		expect((await studio.test({ languageModel: {} })).ok.data).toMatchObject({
			...{ ok: true, problem: null },
			supports: { segments: false, words: false, numbers: true, usage: true },
		})
		studio.alwaysReply(() => reply(JSON.stringify({ words: words.words.slice(1) }), null))
		expect((await studio.test({ languageModel: { model: 'tiny' } })).ok.data).toMatchObject({
			...{ ok: false, problem: expect.stringContaining('larger model') },
			supports: { numbers: false, usage: false },
		})
		expect(JSON.parse(String(studio.sent.at(-1)?.body)).model).toBe('tiny')
		studio.alwaysReply(() => new Response('<html>'))
		expect((await studio.test({ languageModel: {} })).ok.data).toMatchObject({
			ok: false,
			problem: expect.stringContaining('web page'),
		})
		expect((await studio.test({ languageModel: {}, transcription: {} })).status).toBe(400)
		await studio.save({ languageModel: null })
		expect((await studio.test({ languageModel: {} })).status).toBe(409)
	})
})
