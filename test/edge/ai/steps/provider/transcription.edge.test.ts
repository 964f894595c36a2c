import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { suspendOrg, unsuspendOrg } from '#schema/contract/accounts/suspension.ts'
import { getAiSettings } from '#schema/contract/ai/settings.ts'
import { getConfig } from '#schema/contract/operations/health.ts'
import { getAiStats } from '#schema/contract/operations/stats.ts'
import { processAsset, runAiSteps } from '#schema/contract/video/transcoding.ts'
import { DAY } from '../../../../../edge/platform/clock.ts'
import { openMachine } from '../../../video/transcoding/fake-machine.ts'
import { aSmallFilm } from '../../../video/transcoding/sources.ts'
import { KEY, openAi } from '../../providers/provider.ts'
import { bothSentences, openAiAnswer, openProviderStudio, sentences, timeWords } from './provider-studio.ts'

const dollars = { pricePerMinuteMicros: 6_000 }
const installation = {
	TRANSCRIPTION_PROVIDER: 'openai-compatible',
	TRANSCRIPTION_BASE_URL: 'https://asr.example.org/v1',
	TRANSCRIPTION_KEY: 'installation-key-0123456789',
	TRANSCRIPTION_MODEL: 'whisper-large',
}
const tokensOf = (sentence: string) =>
	timeWords(sentence).flatMap(({ word, start, end }) => [
		{ word: ` ${word.slice(0, 2)}`, start, end: start },
		{ word: word.slice(2), start, end },
	])
const deepgramAnswer = (sentence: string) => ({
	metadata: { duration: 8 },
	results: {
		channels: [
			{ detected_language: 'en', alternatives: [{ transcript: sentence, words: timeWords(sentence) }] },
		],
	},
})
const [first, second] = sentences

/** What whisper-server answers: tokens in place of words, as HTML. */
const serverAnswer = (text: string) =>
	new Response(
		JSON.stringify({
			...{ language: 'english', duration: 8, text },
			segments: [{ start: 0, end: 8, text, words: tokensOf(text) }],
		}),
		{ headers: { 'content-type': 'text/html' } },
	)

describe('transcription by a provider', () => {
	test('the provider transcribes for an organization without a machine for speech, one call per chunk', {
		tags: 'd1',
	}, async () => {
		const studio = await openProviderStudio()
		await studio.save({ transcription: { ...openAi, ...dollars } })
		studio.reply(
			() => Response.json(openAiAnswer(first)),
			() => serverAnswer(second),
		)
		const assetId = await studio.process()
		await studio.work()
		expect(await studio.steps(assetId)).toMatchObject({
			...{ status: 'completed', transcriptionStatus: 'completed' },
			...{ subtitlesStatus: 'completed', chaptersStatus: 'completed' },
		})
		expect(await studio.readTranscript(assetId)).toEqual(bothSentences)
		expect(studio.sent.map(({ url }) => url)).toEqual(
			Array(2).fill('https://api.example.org/v1/audio/transcriptions'),
		)
		expect((await studio.world.ask(getAiSettings, {}, studio.ada)).ok.data.usedThisMonth).toEqual({
			...{ audioSec: 16, costMicros: 1_600, tokens: 0 },
		})
		await studio.world.deliver()
		const { objects } = await env.VAULT.list()
		expect(objects.filter(({ key }) => key.includes('/chunk-'))).toEqual([])
		expect(JSON.stringify([await studio.world.dump(), studio.world.logs])).not.toContain(KEY)
	})

	test('AssemblyAI transcribes a video even if every machine left after it was cut into chunks', {
		tags: 'd1',
	}, async () => {
		const studio = await openProviderStudio()
		await studio.save({ transcription: { provider: 'assemblyai', apiKey: KEY } })
		studio.reply(
			...sentences.flatMap((text, at) => [
				() => Response.json({ upload_url: `https://cdn.example.org/${at}` }),
				() => Response.json({ id: `t-${at}` }),
				() => Response.json({ status: 'processing' }),
				() =>
					Response.json({
						...{ status: 'completed', text, language_code: 'en_us', audio_duration: 8 },
						words: timeWords(text).map(({ word, start, end }) => ({
							...{ text: word, start: start * 1_000, end: end * 1_000 },
						})),
					}),
			]),
		)
		const assetId = await studio.process()
		await studio.work(2)
		await studio.world.deps(({ db }) => db.all('delete from machines'))
		for (let i = 0; i < 3; i++) await studio.world.deliver()
		expect([await studio.readTranscript(assetId), studio.sent.length]).toEqual([bothSentences, 8])
	})

	test('the installation transcribes under its secret key until its limit for all is used up', async () => {
		const studio = await openProviderStudio({ ...installation, TRANSCRIPTION_SECONDS_PER_MONTH: '24' })
		const assetId = await studio.process()
		await studio.work()
		expect(await studio.readTranscript(assetId)).toEqual(bothSentences)
		expect(studio.sent[0]?.headers.get('authorization')).toBe(`Bearer ${installation.TRANSCRIPTION_KEY}`)
		const settings = await studio.world.ask(getAiSettings, {}, studio.ada)
		expect(settings.ok.data).toMatchObject({
			transcription: null,
			installation: { transcription: { provider: 'openai-compatible', model: 'whisper-large' } },
		})
		expect(JSON.stringify(settings.ok.data)).not.toMatch(/installation-key|asr\.example/)
		const { aiAvailable, features } = (await studio.world.ask(getConfig, {})).ok.data
		expect([aiAvailable, features.ai]).toEqual([true, true])

		const other = await studio.world.person()
		const { assetId: next } = await studio.studio.upload(other)
		await studio.studio.start(next, undefined, other)
		await studio.work()
		expect(studio.sent).toHaveLength(3)
		const reason = (await studio.studio.asset(next, other)).aiJob?.reasons.transcription
		expect(reason).toMatch(/installation's limit.*2037-12-01/)
		await studio.save({ transcription: openAi }, other)
		await studio.world.ask(
			runAiSteps,
			{ params: { assetId: next }, body: { steps: ['transcription'] } },
			other,
		)
		await studio.work()
		expect((await studio.studio.asset(next, other)).aiJob?.transcriptionStatus).toBe('completed')
		expect(studio.sent.map(({ url }) => new URL(url).host)).toEqual([
			...Array(3).fill('asr.example.org'),
			'api.example.org',
		])
	})

	test('the binding of the installation transcribes only if the operator enables that', {
		tags: 'd1',
	}, async () => {
		const studio = await openProviderStudio()
		let calls = 0
		const run = async () => openAiAnswer(sentences[calls++ % 2] ?? '')
		const AI = { run } as unknown as string
		studio.world.set({ AI })
		const { assetId } = await studio.studio.upload()
		const aiOptions = { transcription: false, subtitles: false, chapters: false, highlights: false }
		await studio.world.ask(processAsset, { params: { assetId }, body: { aiOptions } }, studio.ada)
		await studio.work()
		expect([(await studio.steps(assetId))?.status, calls]).toEqual(['skipped', 0])

		const transcribe = async () => {
			const body = { steps: ['transcription' as const] }
			await studio.world.ask(runAiSteps, { params: { assetId }, body }, studio.ada)
			await studio.work()
			return studio.steps(assetId)
		}
		studio.world.set({ AI: undefined })
		expect((await transcribe())?.reasons.transcription).toContain('settings/ai')
		expect((await studio.world.ask(getConfig, {})).ok.data.aiAvailable).toBe(false)
		studio.world.set({ AI })
		expect((await transcribe())?.transcriptionStatus).toBe('completed')
		expect([await studio.readTranscript(assetId), calls, studio.sent.length]).toEqual([bothSentences, 2, 0])
	})
})

test('a machine with a speech engine takes precedence over every provider', { tags: 'd1' }, async () => {
	const studio = await openProviderStudio(installation)
	const speech = { engine: 'whisper-cli', languages: ['*'], realTimeFactor: 0.2 }
	const spoken = bothSentences.map(({ start, end, text }) => ({
		...{ fromMs: start * 1_000, toMs: end * 1_000, text },
	}))
	const hearing = await openMachine(
		studio.world,
		{ info: aSmallFilm(30), spoken },
		'ears',
		['libx264'],
		speech,
	)
	const assetId = await studio.process()
	for (let round = 0; round < 4; round++) {
		await hearing.drain()
		await studio.world.deliver()
	}
	expect([await studio.readTranscript(assetId), studio.sent.length]).toEqual([bothSentences, 0])
})

describe('a failed call', { tags: 'd1' }, () => {
	test('a failed provider call is retried at growing intervals, without repeating completed calls', async () => {
		const studio = await openProviderStudio()
		await studio.save({ transcription: { ...openAi, ...dollars } })
		studio.reply(
			() => Response.json(openAiAnswer(first)),
			() => new Response('down', { status: 500 }),
			() => new Response('<html>Bad gateway</html>'),
			() => new Response('{"text":"Bre'),
			() => Response.json(openAiAnswer(second)),
		)
		const assetId = await studio.process()
		await studio.work()
		const sentAfter: number[] = []
		for (const waitMinutes of [0, 1, 3, 1, 15, 1]) {
			await studio.minutes(waitMinutes)
			sentAfter.push(studio.sent.length)
		}
		expect(sentAfter).toEqual([2, 3, 3, 4, 4, 5])
		expect(await studio.readTranscript(assetId)).toEqual(bothSentences)
		const { providers } = (await studio.world.ask(getAiStats, {}, studio.ada)).ok.data
		expect(providers, 'two of the failures may be charged').toMatchObject([
			{
				...{ provider: 'openai-compatible', calls24h: 5, failures24h: 3 },
				...{ audioSec24h: 32, costMicros24h: 3_200 },
			},
		])
	})

	test('a provider call rejected for its rate is retried when the provider allows', async () => {
		const studio = await openProviderStudio()
		await studio.save({ transcription: openAi })
		const busy = () => new Response('slow down', { status: 429, headers: { 'retry-after': '240' } })
		const lost = () => {
			throw new TypeError('fetch failed')
		}
		studio.reply(busy, () => Response.json(openAiAnswer(first)), lost)
		const assetId = await studio.process()
		await studio.work()
		await studio.minutes(3)
		expect(studio.sent).toHaveLength(1)
		const queueAges = async () =>
			(await studio.world.ask(getAiStats, {}, studio.ada)).ok.data.providers.map(
				({ queueAgeSec }) => queueAgeSec && Math.floor(queueAgeSec),
			)
		expect(await queueAges()).toEqual([180])
		await studio.minutes(3)
		expect([(await studio.readTranscript(assetId)).length, studio.sent.length]).toEqual([2, 4])
		expect(await queueAges()).toEqual([null])
	})

	test('a final failure ends the step with its reason, and the next run pays only for what is left', async () => {
		const studio = await openProviderStudio()
		await studio.save({ transcription: openAi })
		const run = async () => {
			const body = { steps: ['transcription' as const, 'subtitles' as const] }
			await studio.world.ask(runAiSteps, { params: { assetId }, body }, studio.ada)
			await studio.work()
		}
		studio.reply(
			() => Response.json(openAiAnswer(first)),
			() => new Response(`bad key ${KEY}`, { status: 401 }),
		)
		const assetId = await studio.process()
		await studio.work()
		const rejected = await studio.steps(assetId)
		expect(rejected).toMatchObject({
			...{ status: 'failed', transcriptionStatus: 'failed', subtitlesStatus: 'skipped' },
		})
		expect(rejected?.reasons.transcription).toContain('returned 401: bad key')
		expect(rejected?.reasons.transcription).not.toContain(KEY)
		const events = await studio.world.deps((d) =>
			d.db.all<{ type: string }>("select type from outbox where type like 'ai.%'"),
		)
		expect([events, studio.sent.length]).toEqual([[{ type: 'ai.failed' }], 2])

		await studio.save({ transcription: { apiKey: `${KEY}-2` } })
		studio.alwaysReply(() => new Response('down', { status: 500 }))
		await run()
		await studio.minutes(22)
		const down = await studio.steps(assetId)
		expect([down?.transcriptionStatus, studio.sent.length]).toEqual(['failed', 6])
		expect(down?.reasons.transcription).toMatch(/returned 500/)

		studio.alwaysReply(() => Response.json(openAiAnswer(second)))
		await run()
		expect([await studio.readTranscript(assetId), studio.sent.length]).toEqual([bothSentences, 7])
	})
})

test('the limit of an organization ends the step, and the next month pays only for what is left', {
	tags: 'd1',
}, async () => {
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
	expect([(await studio.studio.asset(assetId, ada)).aiJob?.transcriptionStatus, studio.sent.length]).toEqual([
		'completed',
		2,
	])
})

test('chunks of a suspended organization wait, and the text of a finished call is kept', async () => {
	const studio = await openProviderStudio()
	await studio.save({ transcription: openAi })
	const change = (op: typeof suspendOrg | typeof unsuspendOrg) =>
		studio.world.ask(op, { params: { orgId: studio.ada.orgId }, body: { reason: 'abuse' } }, studio.ada)
	studio.reply(async () => {
		await change(suspendOrg)
		return Response.json(openAiAnswer(first))
	})
	const assetId = await studio.process()
	await studio.work()
	await studio.minutes(2)
	expect(studio.sent).toHaveLength(1)
	studio.alwaysReply(() => Response.json(openAiAnswer(second)))
	await change(unsuspendOrg)
	await studio.minutes(1)
	expect([await studio.readTranscript(assetId), studio.sent.length]).toEqual([bothSentences, 2])
})

describe('a provider that answers later', () => {
	const later = { PUBLIC_URL: 'https://edge.test' }
	const callbackOf = (url: string) => new URL(url).searchParams.get('callback') ?? ''

	test('a provider calls back, even twice; if no callback comes, it is called again', async () => {
		const studio = await openProviderStudio(later)
		await studio.save({ transcription: { provider: 'deepgram', apiKey: KEY, ...dollars } })
		studio.alwaysReply(() => Response.json({ request_id: 'r-1' }))
		const assetId = await studio.process()
		await studio.work()
		expect(studio.sent).toHaveLength(2)
		const callBack = async (at: number, text: string) => {
			for (let i = 0; i < 2; i++) {
				const request = new Request(callbackOf(studio.sent[at]?.url ?? ''), {
					method: 'POST',
					headers: { 'content-type': 'application/json' },
					body: JSON.stringify(deepgramAnswer(text)),
				})
				expect((await studio.world.fetch(request)).status).toBeLessThan(300)
			}
			const messages = studio.world.messages.splice(0)
			await studio.world.deliver([...messages, ...messages])
			await studio.work()
		}
		await studio.minutes(1)
		await callBack(0, first)
		await studio.minutes(3)
		expect(studio.sent, 'the second chunk again').toHaveLength(3)
		expect((await studio.steps(assetId))?.transcriptionStatus).toBe('processing')
		await callBack(2, second)
		expect([await studio.readTranscript(assetId), studio.sent.length]).toEqual([bothSentences, 3])
		const { usedThisMonth } = (await studio.world.ask(getAiSettings, {}, studio.ada)).ok.data
		expect(usedThisMonth.audioSec, 'the provider may charge for the call that it forgot').toBe(24)
	})
})

test('a waiting chunk is in the statistics, and costs a fixed number of statements', {
	tags: 'd1',
}, async () => {
	const studio = await openProviderStudio()
	await studio.save({ transcription: openAi })
	await studio.process()
	await studio.work(2)
	await studio.machine.drain()
	const messages = studio.world.messages.splice(0)
	await studio.world.deliver(messages.filter(({ type }) => type !== 'ai.transcribe'))
	const chunks = studio.world.messages.splice(0).concat(messages)
	const due = chunks.filter(({ type }) => type === 'ai.transcribe')
	expect(due).toHaveLength(2)
	studio.world.pass(30_000)
	const before = studio.world.statements.length
	const { providers } = (await studio.world.ask(getAiStats, {}, studio.ada)).ok.data
	expect(providers).toMatchObject([{ provider: 'openai-compatible', calls24h: 0 }])
	expect(Math.floor(providers[0]?.queueAgeSec ?? 0)).toBe(30)
	const waits = studio.world.statements.slice(before).find((sql) => sql.includes("->> 'engine'"))
	const plan = (await studio.world.plan(String(waits))).join('\n')
	expect(plan).toContain('SCAN lanes\nSEARCH task USING INDEX tasks_lane (org_id=? AND lane=?)\nSEARCH step')

	const counts: number[] = []
	for (const message of due) {
		const start = studio.world.statements.length
		await studio.world.deliver([message])
		counts.push(studio.world.statements.length - start)
	}
	expect(counts, 'claim 1, provider 1, reserve 3, take 1, complete 4, settle 3, relay 1').toEqual([14, 14])
})

test('repeated messages lead to one call for each chunk, at once or later', async () => {
	const studio = await openProviderStudio()
	await studio.save({ transcription: openAi })
	const assetId = await studio.process()
	for (let round = 0; round < 5; round++) {
		await studio.machine.drain()
		const batch = studio.world.messages.splice(0)
		await Promise.all([studio.world.deliver([...batch]), studio.world.deliver([...batch])])
		await studio.world.deliver([...batch])
	}
	expect([(await studio.readTranscript(assetId)).length, studio.sent.length]).toEqual([2, 2])
})

describe('crashes of the Worker', () => {
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
	])(
		'a Worker that dies %s repeats nothing that was stored',
		async (_, pattern, waitMinutes, calls, paidSec) => {
			const { studio, assetId } = await dieBefore(pattern)
			expect((await studio.steps(assetId))?.transcriptionStatus).not.toBe('failed')
			studio.world.pass((waitMinutes - 5) * 60_000)
			await studio.minutes(5)
			const later = { ...studio.ada, token: await studio.world.logIn(studio.ada) }
			const job = (await studio.studio.asset(assetId, later)).aiJob
			expect([job?.transcriptionStatus, studio.sent.length]).toEqual(['completed', calls])
			const { usedThisMonth } = (await studio.world.ask(getAiSettings, {}, later)).ok.data
			expect(usedThisMonth.audioSec).toBe(paidSec)
		},
	)
})
