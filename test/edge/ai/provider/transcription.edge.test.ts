import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { getConfig } from '#schema/contract/platform/health.ts'
import { getAiSettings } from '#schema/contract/platform/settings/ai.ts'
import { getAiStats } from '#schema/contract/platform/stats.ts'
import { processAsset, runAiSteps } from '#schema/contract/video/transcoding.ts'
import { DAY } from '../../../../edge/platform/clock.ts'
import { KEY, openAi } from '../../ai-providers/provider.ts'
import { openMachine } from '../../transcoding/fake-machine.ts'
import { aFilm } from '../../transcoding/sources.ts'
import { bothSentences, openAiAnswer, openProviderStudio, sentences, wordsOf } from './provider-studio.ts'

const dollars = { pricePerMinuteMicros: 6_000 }
const installation = {
	TRANSCRIPTION_PROVIDER: 'openai-compatible',
	TRANSCRIPTION_BASE_URL: 'https://asr.example.org/v1',
	TRANSCRIPTION_KEY: 'installation-key-0123456789',
	TRANSCRIPTION_MODEL: 'whisper-large',
}
const tokensOf = (sentence: string) =>
	wordsOf(sentence).flatMap(({ word, start, end }) => [
		{ word: ` ${word.slice(0, 2)}`, start, end: start },
		{ word: word.slice(2), start, end },
	])
const deepgramAnswer = (sentence: string) => ({
	metadata: { duration: 8 },
	results: {
		channels: [
			{ detected_language: 'en', alternatives: [{ transcript: sentence, words: wordsOf(sentence) }] },
		],
	},
})
const [first, second] = sentences

describe('a video that became ready without an engine on a machine', () => {
	test('is transcribed by the provider of its organization, one call for each chunk', async () => {
		const studio = await openProviderStudio()
		await studio.save({ transcription: { ...openAi, ...dollars } })
		const assetId = await studio.process()
		await studio.work()
		expect(await studio.steps(assetId)).toMatchObject({
			...{ status: 'completed', transcriptionStatus: 'completed' },
			...{ subtitlesStatus: 'completed', chaptersStatus: 'completed' },
		})
		expect(await studio.textOf(assetId)).toEqual(bothSentences)
		expect(studio.sent.map(({ url }) => url)).toEqual(
			Array(2).fill('https://api.example.org/v1/audio/transcriptions'),
		)
		expect((await studio.world.ask(getAiSettings, {}, studio.ada)).ok.data.usedThisMonth).toEqual({
			...{ audioSec: 16, costMicros: 1_600 },
		})
		await studio.world.deliver()
		const { objects } = await env.VAULT.list()
		expect(objects.filter(({ key }) => key.includes('/chunk-'))).toEqual([])
		expect(JSON.stringify([await studio.world.dump(), studio.world.logs])).not.toContain(KEY)
	})

	test.each<[quirk: string, settings: object, answers: (() => Response)[]]>([
		[
			'whisper-server, with tokens as words and HTML as media type',
			{ provider: 'openai-compatible', baseUrl: 'https://asr.example.org/inference' },
			sentences.map((text) => () => {
				const segments = [{ start: 0, end: 8, text, words: tokensOf(text) }]
				return new Response(JSON.stringify({ language: 'english', duration: 8, text, segments }), {
					headers: { 'content-type': 'text/html' },
				})
			}),
		],
		[
			'Deepgram, with words alone',
			{ provider: 'deepgram', apiKey: KEY },
			sentences.map((text) => () => Response.json(deepgramAnswer(text))),
		],
		[
			'AssemblyAI, which is asked again, with milliseconds',
			{ provider: 'assemblyai', apiKey: KEY },
			sentences.flatMap((text, at) => [
				() => Response.json({ upload_url: `https://cdn.example.org/${at}` }),
				() => Response.json({ id: `t-${at}` }),
				() => Response.json({ status: 'processing' }),
				() =>
					Response.json({
						...{ status: 'completed', text, language_code: 'en_us', audio_duration: 8 },
						words: wordsOf(text).map(({ word, start, end }) => ({
							...{ text: word, start: start * 1_000, end: end * 1_000 },
						})),
					}),
			]),
		],
	])('is transcribed by %s', async (_, settings, answers) => {
		const studio = await openProviderStudio()
		await studio.save({ transcription: settings })
		studio.reply(...answers)
		const assetId = await studio.process()
		await studio.work()
		expect(await studio.textOf(assetId)).toEqual(bothSentences)
		expect(studio.sent).toHaveLength(answers.length)
	})

	test('is transcribed by the installation, whose key nobody sees', async () => {
		const studio = await openProviderStudio(installation)
		const assetId = await studio.process()
		await studio.work()
		expect(await studio.textOf(assetId)).toEqual(bothSentences)
		expect(studio.sent[0]?.headers.get('authorization')).toBe(`Bearer ${installation.TRANSCRIPTION_KEY}`)
		const settings = await studio.world.ask(getAiSettings, {}, studio.ada)
		expect(settings.ok.data).toMatchObject({
			transcription: null,
			installation: { transcription: { provider: 'openai-compatible', model: 'whisper-large' } },
		})
		expect(JSON.stringify(settings.ok.data)).not.toMatch(/installation-key|asr\.example/)
		const { aiAvailable, features } = (await studio.world.ask(getConfig, {})).ok.data
		expect([aiAvailable, features.ai]).toEqual([true, true])
	})

	test('goes to the provider of the organization before that of the installation', async () => {
		const studio = await openProviderStudio(installation)
		await studio.save({ transcription: openAi })
		await studio.process()
		await studio.work()
		expect(new Set(studio.sent.map(({ url }) => new URL(url).host))).toEqual(new Set(['api.example.org']))
	})

	test('is transcribed by the binding of the installation if nothing else is set', async () => {
		const studio = await openProviderStudio()
		let calls = 0
		studio.world.set({ AI: { run: async () => openAiAnswer(sentences[calls++] ?? '') } as unknown as string })
		const assetId = await studio.process()
		await studio.work()
		expect([await studio.textOf(assetId), calls, studio.sent.length]).toEqual([bothSentences, 2, 0])
	})

	test('is not transcribed without any provider', async () => {
		const studio = await openProviderStudio()
		const assetId = await studio.process()
		await studio.work()
		expect((await studio.steps(assetId))?.reasons.transcription).toContain('settings/ai')
		expect((await studio.world.ask(getConfig, {})).ok.data.aiAvailable).toBe(false)
	})

	test('is not transcribed if its owner turned that off', async () => {
		const studio = await openProviderStudio(installation)
		const { assetId } = await studio.studio.upload()
		const aiOptions = { transcription: false, subtitles: false, chapters: false, highlights: false }
		await studio.world.ask(processAsset, { params: { assetId }, body: { aiOptions } }, studio.ada)
		await studio.work()
		expect([(await studio.steps(assetId))?.status, studio.sent.length]).toEqual(['skipped', 0])
	})
})

test('a machine with an engine comes before every provider', async () => {
	const studio = await openProviderStudio(installation)
	const speech = { engine: 'whisper-cli', languages: ['*'], realTimeFactor: 0.2 }
	const spoken = bothSentences.map(({ start, end, text }) => ({
		...{ fromMs: start * 1_000, toMs: end * 1_000, text },
	}))
	const hearing = await openMachine(studio.world, { info: aFilm(30), spoken }, 'ears', ['libx264'], speech)
	const assetId = await studio.process()
	for (let round = 0; round < 4; round++) {
		await hearing.drain()
		await studio.world.deliver()
	}
	expect([await studio.textOf(assetId), studio.sent.length]).toEqual([bothSentences, 0])
})

test('a video is transcribed although every machine left after it was cut', async () => {
	const studio = await openProviderStudio()
	await studio.save({ transcription: openAi })
	const assetId = await studio.process()
	await studio.work(2)
	await studio.world.deps(({ db }) => db.all('delete from machines'))
	for (let i = 0; i < 3; i++) await studio.world.deliver()
	expect(await studio.textOf(assetId)).toEqual(bothSentences)
})

describe('a call that fails', () => {
	test.each<[what: string, reply: () => Response]>([
		['with 500', () => new Response('down', { status: 500 })],
		['with HTML', () => new Response('<html>Bad gateway</html>')],
		['with truncated JSON', () => new Response('{"text":"Bre')],
		[
			'without a connection',
			() => {
				throw new TypeError('fetch failed')
			},
		],
	])('%s is repeated, and nothing that was done', async (_, reply) => {
		const studio = await openProviderStudio()
		await studio.save({ transcription: openAi })
		studio.reply(
			() => Response.json(openAiAnswer(first)),
			reply,
			() => Response.json(openAiAnswer(second)),
		)
		const assetId = await studio.process()
		await studio.work()
		expect([(await studio.steps(assetId))?.transcriptionStatus, studio.sent.length]).toEqual([
			'processing',
			2,
		])
		await studio.minutes(2)
		expect([await studio.textOf(assetId), studio.sent.length]).toEqual([bothSentences, 3])
	})

	test('because of too many calls is repeated when the provider allows it', async () => {
		const studio = await openProviderStudio()
		await studio.save({ transcription: openAi })
		const busy = () => new Response('slow down', { status: 429, headers: { 'retry-after': '240' } })
		studio.reply(busy, () => Response.json(openAiAnswer(first)))
		const assetId = await studio.process()
		await studio.work()
		await studio.minutes(3)
		expect(studio.sent).toHaveLength(1)
		await studio.minutes(3)
		expect([(await studio.textOf(assetId)).length, studio.sent.length]).toEqual([2, 3])
	})

	test('again and again ends the step, and the next run pays only for what is left', async () => {
		const studio = await openProviderStudio()
		await studio.save({ transcription: openAi })
		let isDown = true
		let calls = 0
		studio.alwaysReply(() => {
			calls++
			if (calls === 1) return Response.json(openAiAnswer(first))
			return isDown ? new Response(`no ${KEY}`, { status: 500 }) : Response.json(openAiAnswer(second))
		})
		const assetId = await studio.process()
		await studio.work()
		await studio.minutes(30)
		const failed = await studio.steps(assetId)
		expect(failed).toMatchObject({
			status: 'failed',
			transcriptionStatus: 'failed',
			subtitlesStatus: 'skipped',
		})
		expect(failed?.reasons.transcription).toMatch(/returned 500/)
		expect(failed?.reasons.transcription).not.toContain(KEY)
		expect(calls).toBe(5)
		isDown = false
		await studio.world.ask(
			runAiSteps,
			{ params: { assetId }, body: { steps: ['transcription', 'subtitles'] } },
			studio.ada,
		)
		await studio.work()
		expect([await studio.textOf(assetId), calls]).toEqual([bothSentences, 6])
	})

	test('with a rejected key ends the step at once with the reason', async () => {
		const studio = await openProviderStudio()
		await studio.save({ transcription: openAi })
		studio.alwaysReply(() => new Response('bad key', { status: 401 }))
		const assetId = await studio.process()
		await studio.work()
		const job = await studio.steps(assetId)
		expect([job?.status, job?.transcriptionStatus, studio.sent.length]).toEqual(['failed', 'failed', 1])
		expect(job?.reasons.transcription).toContain('returned 401: bad key')
		const events = await studio.world.deps((d) =>
			d.db.all<{ type: string }>("select type from outbox where type like 'ai.%'"),
		)
		expect(events).toEqual([{ type: 'ai.failed' }])
	})
})

describe('a limit', () => {
	test('of the organization ends the step; the next month pays only for what is left', async () => {
		const studio = await openProviderStudio()
		await studio.save({ transcription: { ...openAi, ...dollars }, limits: { costMicrosPerMonth: 1_000 } })
		const assetId = await studio.process()
		await studio.work()
		const job = await studio.steps(assetId)
		expect([job?.transcriptionStatus, studio.sent.length]).toEqual(['failed', 1])
		expect(job?.reasons.transcription).toMatch(/limit.*2037-12-01/)
		studio.world.pass(11 * DAY)
		const ada = { ...studio.ada, token: await studio.world.logIn(studio.ada) }
		await studio.world.ask(runAiSteps, { params: { assetId }, body: { steps: ['transcription'] } }, ada)
		for (let i = 0; i < 3; i++) await studio.world.deliver()
		expect([
			(await studio.studio.asset(assetId, ada)).aiJob?.transcriptionStatus,
			studio.sent.length,
		]).toEqual([...['completed', 2]])
	})

	test('of the installation counts the calls of all organizations together', async () => {
		const studio = await openProviderStudio({ ...installation, TRANSCRIPTION_SECONDS_PER_MONTH: '24' })
		await studio.process()
		await studio.work()
		const other = await studio.world.person()
		const { assetId } = await studio.studio.upload(other)
		await studio.studio.start(assetId, undefined, other)
		await studio.work()
		expect(studio.sent).toHaveLength(3)
		const reason = (await studio.studio.asset(assetId, other)).aiJob?.reasons.transcription
		expect(reason).toMatch(/limit of this installation.*2037-12-01/)
		await studio.save({ transcription: openAi }, other)
		await studio.world.ask(runAiSteps, { params: { assetId }, body: { steps: ['transcription'] } }, other)
		await studio.work()
		expect((await studio.studio.asset(assetId, other)).aiJob?.transcriptionStatus).toBe('completed')
	})
})

describe('a provider that answers later', () => {
	const later = { PUBLIC_URL: 'https://edge.test' }
	const callbackOf = (url: string) => new URL(url).searchParams.get('callback') ?? ''

	test('calls back, and may do so twice', async () => {
		const studio = await openProviderStudio(later)
		await studio.save({ transcription: { provider: 'deepgram', apiKey: KEY, ...dollars } })
		studio.alwaysReply(() => Response.json({ request_id: 'r-1' }))
		const assetId = await studio.process()
		await studio.work()
		expect(studio.sent).toHaveLength(2)
		await studio.minutes(1)
		const call = (at: number, text: string) =>
			studio.world.fetch(
				new Request(callbackOf(studio.sent[at]?.url ?? ''), {
					method: 'POST',
					headers: { 'content-type': 'application/json' },
					body: JSON.stringify(deepgramAnswer(text)),
				}),
			)
		for (const [at, text] of sentences.entries())
			for (let i = 0; i < 2; i++) expect((await call(at, text)).status).toBeLessThan(300)
		const messages = studio.world.messages.splice(0)
		await studio.world.deliver([...messages, ...messages])
		await studio.work()
		expect([await studio.textOf(assetId), studio.sent.length]).toEqual([bothSentences, 2])
		expect((await studio.world.ask(getAiSettings, {}, studio.ada)).ok.data.usedThisMonth.audioSec).toBe(16)
	})

	test('and is never heard of again is asked by the sweep, and then called anew', async () => {
		const studio = await openProviderStudio(later)
		await studio.save({ transcription: { provider: 'deepgram', apiKey: KEY } })
		studio.alwaysReply(() => Response.json({ request_id: 'r-1' }))
		const assetId = await studio.process()
		await studio.work()
		expect(studio.sent).toHaveLength(2)
		await studio.minutes(5)
		expect(studio.sent).toHaveLength(4)
		expect((await studio.steps(assetId))?.transcriptionStatus).toBe('processing')
	})
})

test('messages that come twice, at once or later, lead to one call for each chunk', async () => {
	const studio = await openProviderStudio()
	await studio.save({ transcription: openAi })
	const assetId = await studio.process()
	for (let round = 0; round < 5; round++) {
		await studio.machine.drain()
		const batch = studio.world.messages.splice(0)
		await Promise.all([studio.world.deliver([...batch]), studio.world.deliver([...batch])])
		await studio.world.deliver([...batch])
	}
	expect([(await studio.textOf(assetId)).length, studio.sent.length]).toEqual([2, 2])
})

describe('a Worker that dies', () => {
	/** Kills the Worker before the given statement, once. */
	async function dieBefore(pattern: RegExp) {
		const studio = await openProviderStudio()
		await studio.save({ transcription: { ...openAi, ...dollars } })
		const assetId = await studio.process()
		await studio.work(2)
		await studio.machine.drain()
		const messages = studio.world.messages.splice(0)
		const due = messages.find(({ type }) => type === 'ai.transcribe')
		if (!due) throw new Error('no chunk is due')
		const kill = (sql: string) => {
			if (!pattern.test(sql)) return
			throw new Error('the Worker died')
		}
		await studio.world.deliver(messages.filter((message) => message !== due))
		await studio.world.dieDuring(kill, () => studio.world.deliver([due]))
		return { studio, assetId }
	}

	test.each<[where: string, pattern: RegExp, waitMinutes: number, calls: number, paidSec: number]>([
		['before it reserved the call', /insert into "ai_budgets"/, 125, 2, 16],
		['before it stored the text', /^update "tasks" set .*"result" = \?/, 30, 3, 24],
		['before it settled the call', /^update "ai_budgets" set "audio_ms" = max/, 30, 2, 16],
	])('%s repeats nothing that was stored', async (_, pattern, waitMinutes, calls, paidSec) => {
		const { studio, assetId } = await dieBefore(pattern)
		expect((await studio.steps(assetId))?.transcriptionStatus).not.toBe('failed')
		studio.world.pass((waitMinutes - 5) * 60_000)
		await studio.minutes(5)
		const later = { ...studio.ada, token: await studio.world.logIn(studio.ada) }
		const job = (await studio.studio.asset(assetId, later)).aiJob
		expect([job?.transcriptionStatus, studio.sent.length]).toEqual(['completed', calls])
		const { usedThisMonth } = (await studio.world.ask(getAiSettings, {}, later)).ok.data
		expect(usedThisMonth.audioSec).toBe(paidSec)
	})
})

test('chunks whose messages were lost are sent again by the sweep', async () => {
	const studio = await openProviderStudio()
	await studio.save({ transcription: openAi })
	const assetId = await studio.process()
	for (let round = 0; round < 4; round++) {
		await studio.machine.drain()
		await studio.world.deliver(studio.world.messages.splice(0).filter(({ type }) => type !== 'ai.transcribe'))
	}
	expect(studio.sent).toHaveLength(0)
	await studio.minutes(1)
	expect([await studio.textOf(assetId), studio.sent.length]).toEqual([bothSentences, 2])
})

test('the statistics show calls, seconds, money and failures of the provider', async () => {
	const studio = await openProviderStudio()
	await studio.save({ transcription: { ...openAi, ...dollars } })
	studio.reply(() => new Response('down', { status: 503 }))
	await studio.process()
	await studio.work()
	await studio.minutes(2)
	const { providers } = (await studio.world.ask(getAiStats, {}, studio.ada)).ok.data
	expect(providers).toMatchObject([
		{ provider: 'openai-compatible', calls24h: 3, failures24h: 1, audioSec24h: 16, costMicros24h: 1_600 },
	])
})
