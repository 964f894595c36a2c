import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { getAiSettings } from '#schema/contract/ai/settings.ts'
import { resealSecrets } from '#schema/contract/operations/secret-rotation.ts'
import { MINUTE } from '../../../../edge/platform/clock.ts'
import { testVariables } from '../../../support/shared/variables.ts'
import { KEY, openAi, openProviderWorld, type ProviderWorld } from './provider.ts'

let studio: ProviderWorld
beforeEach(async () => {
	studio = await openProviderWorld()
})

const read = async () => (await studio.world.ask(getAiSettings, {}, studio.ada)).ok.data
const newSecret = 'another-secret-that-is-only-good-for-tests-9876543210'

describe('the AI settings', () => {
	test('the AI settings are empty at first, and show of a key only its end', async () => {
		expect(await read()).toEqual({
			transcription: null,
			languageModel: null,
			installation: { transcription: null },
			limits: { audioSecPerMonth: null, costMicrosPerMonth: null, tokensPerMonth: null },
			usedThisMonth: { audioSec: 0, costMicros: 0, tokens: 0 },
		})
		await studio.save({
			transcription: { ...openAi, language: 'de-at', pricePerMinuteMicros: 6_000 },
			languageModel: {
				...{ provider: 'anthropic', model: 'claude', apiKey: 'short' },
				...{ inputPriceMicros: 3_000_000, outputPriceMicros: 15_000_000 },
			},
			limits: { audioSecPerMonth: 3_600, costMicrosPerMonth: 5_000_000 },
		})
		const settings = await read()
		expect(settings).toMatchObject({
			transcription: {
				...{ provider: 'openai-compatible', baseUrl: 'https://api.example.org/v1', model: 'whisper-1' },
				...{ language: 'de-AT', pricePerMinuteMicros: 6_000 },
				key: { hasKey: true, lastFour: 'cdef', updatedAt: expect.any(String), mustBeEnteredAgain: false },
			},
			languageModel: { provider: 'anthropic', model: 'claude', key: { hasKey: true, lastFour: null } },
			limits: { audioSecPerMonth: 3_600, costMicrosPerMonth: 5_000_000 },
		})
		expect(JSON.stringify([settings, await studio.world.dump(), studio.world.logs])).not.toContain(KEY)
	})

	test('the AI settings keep a key that is left out, and delete it for null', { tags: 'd1' }, async () => {
		await studio.save({ transcription: openAi })
		await studio.save({ transcription: { model: 'other' } })
		expect((await read()).transcription).toMatchObject({ model: 'other', key: { hasKey: true } })
		await studio.save({ transcription: { apiKey: null } })
		expect((await read()).transcription?.key).toMatchObject({
			hasKey: false,
			lastFour: null,
			updatedAt: null,
		})
		await studio.save({ transcription: null })
		expect((await read()).transcription).toBeNull()
	})

	test.each([
		['another address', { baseUrl: 'https://evil.example.org/v1' }],
		['another provider', { provider: 'deepgram' as const, baseUrl: null }],
	])('the AI settings delete the key with %s, so that it is never sent there', async (_, change) => {
		await studio.save({ transcription: openAi })
		await studio.test({ transcription: change })
		expect(JSON.stringify(studio.sent.map(({ headers }) => [...headers]))).not.toContain(KEY)
		await studio.save({ transcription: change })
		expect((await read()).transcription?.key.hasKey).toBe(false)
	})

	test.each([
		['transcription.provider: is missing', { model: 'x' }],
		['transcription.baseUrl: is missing', { provider: 'openai-compatible' as const }],
		[
			'transcription.baseUrl: can only be set',
			{ provider: 'deepgram' as const, baseUrl: 'https://a.example.org' },
		],
		['transcription.baseUrl: must have a public host', { ...openAi, baseUrl: 'https://192.168.0.2/v1' }],
		['transcription.baseUrl: must have a public host', { ...openAi, baseUrl: 'https://nas.lan/v1' }],
		[
			'transcription.baseUrl: must not contain a user name',
			{ ...openAi, baseUrl: 'https://a:b@c.example.org' },
		],
		['transcription.baseUrl: must not contain ? or #', { ...openAi, baseUrl: 'https://a.example.org/v1#' }],
		['transcription.baseUrl: must not contain ? or #', { ...openAi, baseUrl: 'https://a.example.org/?x=' }],
		['transcription.provider: Workers AI is not set up: bind AI', { provider: 'workers-ai' as const }],
		['transcription.apiKey: must be 1 to 500 visible', { ...openAi, apiKey: 'a\nb' }],
	])('the AI settings refuse with “%s”', async (message, transcription) => {
		const answer = await studio.save({ transcription })
		expect(answer.status).toBe(400)
		expect(answer.error).toContain(message)
		expect((await read()).transcription).toBeNull()
	})

	test('the AI settings refuse plain http in production, and a limit in money without a price', async () => {
		studio.world.set({ ENVIRONMENT: 'production', PUBLIC_URL: 'https://edge.test' })
		const plain = await studio.save({ transcription: { ...openAi, baseUrl: 'http://api.example.org/v1' } })
		expect(plain.error).toContain('must begin with https://')
		const limited = await studio.save({ transcription: openAi, limits: { costMicrosPerMonth: 1 } })
		expect(limited.error).toContain('pricePerMinuteMicros: is missing')
	})

	test('concurrent changes never leave a limit in money for transcription without a price', async () => {
		for (let i = 0; i < 4; i++) {
			await studio.save({
				transcription: { ...openAi, pricePerMinuteMicros: 1 },
				limits: { costMicrosPerMonth: null },
			})
			const unpriced = { transcription: { pricePerMinuteMicros: null } }
			const limited = { limits: { costMicrosPerMonth: 5 } }
			const answers = await Promise.all(
				(i % 2 ? [unpriced, limited] : [limited, unpriced]).map((body) => studio.save(body)),
			)
			expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
			const { transcription, limits } = await read()
			expect(limits.costMicrosPerMonth !== null && transcription?.pricePerMinuteMicros === null).toBe(false)
		}
	})

	test('the AI settings change a price and its limit in one request', { tags: 'd1' }, async () => {
		await studio.save({ transcription: openAi })
		const price = (micros: number | null) => ({
			transcription: { pricePerMinuteMicros: micros },
			limits: { costMicrosPerMonth: micros },
		})
		expect((await studio.save(price(7))).ok.data.limits.costMicrosPerMonth).toBe(7)
		expect((await studio.save(price(null))).ok.data.transcription?.pricePerMinuteMicros).toBeNull()
	})

	test('concurrent changes of the AI settings apply as a whole', async () => {
		const models = ['a', 'b', 'c', 'd']
		const answers = await Promise.all(
			models.map((model) =>
				studio.save({
					transcription: { ...openAi, model, apiKey: `${KEY}-${model}${model}${model}${model}` },
				}),
			),
		)
		expect(answers.map(({ status }) => status).every((status) => [200, 409].includes(status))).toBe(true)
		const { transcription } = await read()
		expect(transcription?.key.lastFour).toBe(transcription?.model?.repeat(4))
	})

	test('admins and owners of the organization alone read the AI settings', { tags: 'd1' }, async () => {
		await studio.save({ transcription: openAi })
		const other = await studio.world.person()
		expect((await studio.world.ask(getAiSettings, {}, other)).ok.data.transcription).toBeNull()
		const params = { orgId: studio.ada.orgId }
		for (const [scope, status] of [
			['read', 403],
			['write', 403],
			['admin', 200],
		] as const) {
			const body = { name: 'k', scopes: [scope] }
			const { key } = (await studio.world.ask(createApiKey, { params, body }, studio.ada)).ok.data
			expect((await studio.world.ask(getAiSettings, {}, { key })).status).toBe(status)
		}
	})
})

describe('a change of AUTH_SECRET', () => {
	test('API keys of providers survive a change of AUTH_SECRET once they are sealed again', async () => {
		await studio.save({
			transcription: openAi,
			languageModel: { provider: 'anthropic', model: 'm', apiKey: KEY },
		})
		studio.world.set({ AUTH_SECRET: newSecret, AUTH_SECRET_PREVIOUS: testVariables.AUTH_SECRET })
		const token = await studio.world.logIn(studio.ada)
		let cursor: string | null = null
		let resealed = 0
		do {
			const asked = await studio.world.ask(resealSecrets, { body: { cursor } }, { token })
			const page: { cursor: string | null; resealed: number } = asked.ok.data
			resealed += page.resealed
			cursor = page.cursor
		} while (cursor !== null)
		expect(resealed).toBeGreaterThanOrEqual(2)
		studio.world.set({ AUTH_SECRET: newSecret, AUTH_SECRET_PREVIOUS: '' })
		const settings = (await studio.world.ask(getAiSettings, {}, { token })).ok.data
		expect([settings.transcription?.key.hasKey, settings.languageModel?.key.hasKey]).toEqual([true, true])
		await studio.test(undefined, { ...studio.ada, token })
		expect(studio.sent[0]?.headers.get('authorization')).toBe(`Bearer ${KEY}`)
	})

	test('a change of AUTH_SECRET without the former one asks for the key again', { tags: 'd1' }, async () => {
		await studio.save({ transcription: { provider: 'deepgram', apiKey: KEY } })
		studio.world.set({ AUTH_SECRET: newSecret })
		const token = await studio.world.logIn(studio.ada)
		const who = { ...studio.ada, token }
		expect((await studio.world.ask(getAiSettings, {}, who)).ok.data.transcription?.key).toMatchObject({
			...{ hasKey: false, mustBeEnteredAgain: true, lastFour: 'cdef' },
		})
		expect((await studio.test(undefined, who)).ok.data).toMatchObject({
			...{ ok: false, problem: 'the API key is missing; enter it again' },
		})
	})

	test('a sealed key does not open in another place', async () => {
		await studio.save({ transcription: { provider: 'deepgram', apiKey: KEY } })
		await studio.world.deps(({ db }) => db.all("update ai_engines set provider = 'assemblyai' returning 1"))
		expect((await read()).transcription?.key.mustBeEnteredAgain).toBe(true)
	})
})

describe('a test of the AI settings', () => {
	test('a test of the AI settings transcribes speech with the provider, and stores only its use', {
		tags: 'd1',
	}, async () => {
		await studio.save({ transcription: openAi })
		const before = await studio.world.dump()
		expect((await studio.test()).ok.data).toEqual({
			...{ ok: true, latencyMs: expect.any(Number), text: 'The quick brown fox.', language: 'en' },
			...{ supports: { segments: true, words: true, numbers: false, usage: false }, problem: null },
		})
		const [request] = studio.sent
		expect(request?.url).toBe('https://api.example.org/v1/audio/transcriptions')
		const form = request?.body
		if (!(form instanceof FormData)) throw new Error('no form')
		const file = form.get('file') as unknown as File
		expect([file.name, file.type]).toEqual(['audio.mp3', 'audio/mpeg'])
		// An MP3 frame begins with eleven ones.
		expect(new DataView(await file.arrayBuffer()).getUint16(0) & 0xffe0).toBe(0xffe0)
		const counted = ({ attempts: _, ai_calls: __, ai_budgets: ___, ...tables }: Record<string, unknown>) =>
			tables
		expect(counted(await studio.world.dump())).toEqual(counted(before))
	})

	test('a test of the AI settings counts as use, within the limits, even while the breaker is open', {
		tags: 'd1',
	}, async () => {
		await studio.save({
			transcription: { ...openAi, pricePerMinuteMicros: 6_000 },
			limits: { audioSecPerMonth: 5 },
		})
		studio.reply(...Array.from({ length: 2 }, () => () => new Response('no', { status: 401 })))
		expect([(await studio.test()).ok.data.ok, (await read()).usedThisMonth.audioSec]).toEqual([false, 0])
		expect((await studio.test()).ok.data.problem).toContain('returned 401')
		expect((await studio.test()).ok.data.ok).toBe(true)
		expect((await read()).usedThisMonth).toEqual({ audioSec: 2.6, costMicros: 260, tokens: 0 })
		expect((await studio.test()).ok.data).toMatchObject({
			ok: false,
			problem: expect.stringContaining('limit'),
		})
		expect(studio.sent).toHaveLength(3)
	})

	test('a test of the AI settings accepts a candidate that is not stored, with its key', {
		tags: 'd1',
	}, async () => {
		expect((await studio.test({ transcription: openAi })).ok.data.ok).toBe(true)
		expect(studio.sent[0]?.headers.get('authorization')).toBe(`Bearer ${KEY}`)
		expect((await read()).transcription).toBeNull()
	})

	test('a test of the AI settings is rejected without any provider', { tags: 'd1' }, async () => {
		expect((await studio.test()).status).toBe(409)
	})

	test.each([
		['text without times', () => Response.json({ text: 'The quick brown fox.' }), /text without times/],
		['nothing', () => Response.json({ text: '', segments: [] }), /understood nothing/],
		[
			'its key in an error',
			() => new Response(`bad key ${KEY} ${'x'.repeat(999)}`, { status: 401 }),
			/401: bad key … x+$/,
		],
		['a web page', () => new Response('<html>'), /a web page instead of JSON/],
	])('a test of the AI settings fails if the provider returns %s', async (_, reply, problem) => {
		studio.reply(reply)
		const { data } = (await studio.test({ transcription: openAi })).ok
		expect(data).toMatchObject({ ok: false, problem: expect.stringMatching(problem) })
		expect(data.problem?.length).toBeLessThan(240)
		expect(JSON.stringify([data, studio.world.logs])).not.toContain(KEY)
	})

	test('the AI settings can be tested five times a minute', { tags: 'd1' }, async () => {
		for (let i = 0; i < 5; i++) expect((await studio.test({ transcription: openAi })).status).toBe(200)
		expect((await studio.test({ transcription: openAi })).status).toBe(429)
		expect(studio.sent).toHaveLength(5)
		studio.world.pass(MINUTE)
		expect((await studio.test({ transcription: openAi })).status).toBe(200)
	})
})
