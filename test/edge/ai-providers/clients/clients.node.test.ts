import { describe, expect, test } from 'vitest'
import { assemblyAiClient } from '../../../../edge/ai-providers/clients/assemblyai.ts'
import type { Client, Outside } from '../../../../edge/ai-providers/clients/client.ts'
import { deepgramClient } from '../../../../edge/ai-providers/clients/deepgram.ts'
import { openAiClient } from '../../../../edge/ai-providers/clients/openai.ts'
import { ProviderError } from '../../../../edge/ai-providers/clients/provider-error.ts'
import { MAX_ANSWER_BYTES } from '../../../../edge/ai-providers/clients/request.ts'
import { workersAiClient } from '../../../../edge/ai-providers/clients/workers-ai.ts'
import { openProviderServer } from './provider-server.node.ts'

const server = openProviderServer()
const KEY = 'sk-secret-0123456789abcdef'
const audio = { bytes: new TextEncoder().encode('fLaC'), contentType: 'audio/flac' }
const detect = { language: null, model: null }

const openAi = (more: Partial<Outside> = {}, url = 'https://api.example.org/v1') =>
	openAiClient(server.outside(more), url, KEY)
const errorOf = async (client: Client): Promise<ProviderError> => {
	const error = await client.transcribe(audio, detect).then(
		() => null,
		(reason: unknown) => reason,
	)
	if (!(error instanceof ProviderError)) throw new Error(`no ProviderError: ${error}`)
	return error
}

describe('a server in the form of OpenAI', () => {
	test('gets the file with its options, and its words beside the segments are placed in them', async () => {
		server.reply({
			task: 'transcribe',
			language: 'english',
			duration: 4.5,
			text: 'Hello there. Bye.',
			segments: [
				{
					id: 0,
					start: 0,
					end: 2,
					text: ' Hello there.',
					avg_logprob: -0.2,
					no_speech_prob: 0.01,
					compression_ratio: 0.9,
				},
				{ id: 1, start: 2.5, end: 4, text: ' Bye.' },
			],
			words: [
				{ word: 'Hello', start: 0, end: 0.6 },
				{ word: 'there', start: 0.7, end: 1.9 },
				{ word: 'Bye', start: 2.6, end: 3.9 },
			],
		})
		const result = await openAi().transcribe(audio, { language: 'pt-BR', model: 'whisper-1' })
		expect(result).toEqual({
			language: 'en',
			durationSec: 4.5,
			segments: [
				{
					...{ start: 0, end: 2, text: 'Hello there.' },
					...{ avgLogprob: -0.2, noSpeechProb: 0.01, compressionRatio: 0.9 },
					words: [
						{ word: 'Hello', start: 0, end: 0.6 },
						{ word: 'there', start: 0.7, end: 1.9 },
					],
				},
				{ start: 2.5, end: 4, text: 'Bye.', words: [{ word: 'Bye', start: 2.6, end: 3.9 }] },
			],
			supports: { segments: true, words: true },
		})
		const [request] = server.seen
		expect(request).toMatchObject({ method: 'POST', path: '/v1/audio/transcriptions' })
		expect(request?.headers.authorization).toBe(`Bearer ${KEY}`)
		const parts = [
			...(request?.body ?? '').matchAll(
				/name="([^"]+)"(?:; filename="([^"]+)")?[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/g,
			),
		]
		expect(parts.map(([, name, file, value]) => [name, file, value])).toEqual([
			['file', 'audio.flac', 'fLaC'],
			['model', undefined, 'whisper-1'],
			['response_format', undefined, 'verbose_json'],
			['timestamp_granularities[]', undefined, 'segment'],
			['timestamp_granularities[]', undefined, 'word'],
			['language', undefined, 'pt'],
		])
	})

	test('may be whisper-server, whose words are tokens inside the segments, and whose default is English', async () => {
		server.reply({
			language: 'german',
			detected_language: 'german',
			duration: 2,
			text: ' Guten Morgen.',
			segments: [
				{
					...{ id: 0, start: 0, end: 2, text: ' Guten Morgen.', avg_logprob: -0.1, no_speech_prob: 0 },
					words: [
						{ word: ' Gut', start: 0.1, end: 0.4 },
						{ word: 'en', start: 0.4, end: 0.6 },
						{ word: ' Morgen', start: 0.7, end: 1.5 },
						{ word: '.', start: 1.5, end: 1.5 },
					],
				},
			],
		})
		const result = await openAi({}, 'https://asr.example.org/inference').transcribe(audio, detect)
		expect(result).toMatchObject({ language: 'de', supports: { segments: true, words: true } })
		expect(result.segments[0]).toEqual({
			...{ start: 0, end: 2, text: 'Guten Morgen.', avgLogprob: -0.1, noSpeechProb: 0 },
			words: [
				{ word: 'Guten', start: 0.1, end: 0.6 },
				{ word: 'Morgen.', start: 0.7, end: 1.5 },
			],
		})
		expect(server.seen[0]?.path).toBe('/inference')
		expect(server.seen[0]?.body).toMatch(/name="language"\r\n\r\nauto\r\n/)
	})

	test('may return segments alone, or words alone', async () => {
		server.reply({ text: 'a', segments: [{ start: 0, end: 1, text: 'a' }] })
		expect((await openAi().transcribe(audio, detect)).supports).toEqual({ segments: true, words: false })
		server.reply({
			text: 'One. Two',
			words: [
				{ word: 'One.', start: 0, end: 1 },
				{ word: 'Two', start: 3, end: 4 },
			],
		})
		expect((await openAi().transcribe(audio, detect)).segments.map(({ text }) => text)).toEqual([
			'One.',
			'Two',
		])
	})

	test('returns nothing for silence, and is refused if it returns text without times', async () => {
		server.reply({ text: '', segments: [] })
		expect((await openAi().transcribe(audio, detect)).segments).toEqual([])
		server.reply({ text: 'Hello there.' })
		expect(await errorOf(openAi())).toMatchObject({ code: 'no_times', kind: 'final' })
	})

	test('may return overlapping and empty segments, which are put in order', async () => {
		server.reply({
			text: 'a b',
			segments: [
				{ start: 0, end: 2, text: 'a\n b' },
				{ start: 1, end: 3, text: 'c' },
				{ start: 3, end: 3, text: 'd' },
				{ start: 3, end: 4, text: ' ' },
			],
		})
		const { segments } = await openAi().transcribe(audio, detect)
		expect(segments).toEqual([
			{ start: 0, end: 2, text: 'a b' },
			{ start: 2, end: 3, text: 'c' },
		])
	})
})

describe('Deepgram', () => {
	test('gets the bytes, and its utterances become segments with punctuated words', async () => {
		const words = [
			{ word: 'hello', punctuated_word: 'Hello', start: 0.08, end: 0.4, confidence: 0.99 },
			{ word: 'there', punctuated_word: 'there.', start: 0.4, end: 0.9, confidence: 0.9 },
		]
		server.reply({
			metadata: { request_id: 'r', duration: 1.2 },
			results: {
				channels: [
					{ detected_language: 'en', alternatives: [{ transcript: 'Hello there.', confidence: 1, words }] },
				],
				utterances: [{ start: 0.08, end: 0.9, transcript: 'Hello there.', words }],
			},
		})
		const result = await deepgramClient(server.outside(), KEY).transcribe(audio, detect)
		expect(result).toMatchObject({
			...{ language: 'en', durationSec: 1.2 },
			segments: [{ text: 'Hello there.', words: [{ word: 'Hello' }, { word: 'there.', end: 0.9 }] }],
		})
		expect(server.seen[0]).toMatchObject({
			path: '/v1/listen?model=nova-3&smart_format=true&utterances=true&detect_language=true',
			headers: { authorization: `Token ${KEY}`, 'content-type': 'audio/flac' },
			body: 'fLaC',
		})
	})

	test('calls back to the address that it is given', async () => {
		server.reply({ request_id: 'r-1' })
		const client = deepgramClient(server.outside(), KEY)
		expect(await client.start(audio, detect, 'https://play.example/cb?call=1&cap=2')).toBe('r-1')
		expect(new URLSearchParams(server.seen[0]?.path.split('?')[1]).get('callback')).toBe(
			'https://play.example/cb?call=1&cap=2',
		)
	})
})

describe('AssemblyAI', () => {
	test('is polled until it is done, and counts in milliseconds', async () => {
		server.reply(
			{ upload_url: 'https://cdn.example/1' },
			{ id: 't-1', status: 'queued' },
			{ id: 't-1', status: 'processing' },
			{
				...{
					id: 't-1',
					status: 'completed',
					text: 'Hello there.',
					language_code: 'en_us',
					audio_duration: 2,
				},
				words: [
					{ text: 'Hello', start: 250, end: 650, confidence: 1, speaker: null },
					{ text: 'there.', start: 730, end: 1_022, confidence: 1, speaker: null },
				],
			},
		)
		const pauses: number[] = []
		const wait = async (ms: number) => void pauses.push(ms)
		const client = assemblyAiClient(server.outside({ wait }), KEY)
		expect(await client.transcribe(audio, { language: null, model: 'universal-2' })).toMatchObject({
			...{ language: 'en-US', durationSec: 2 },
			segments: [{ start: 0.25, end: 1.022, text: 'Hello there.', words: [{ end: 0.65 }, { start: 0.73 }] }],
		})
		expect(pauses).toEqual([1_000, 2_000])
		expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
			'POST /v2/upload',
			'POST /v2/transcript',
			...Array(2).fill('GET /v2/transcript/t-1'),
		])
		expect(JSON.parse(server.seen[1]?.body ?? '')).toEqual({
			audio_url: 'https://cdn.example/1',
			speech_models: ['universal-2'],
			language_detection: true,
		})
	})

	test('that never finishes, or fails, ends with a reason', async () => {
		server.reply({ upload_url: 'https://cdn.example/1' }, { id: 't-1' }, { id: 't-1', status: 'processing' })
		expect(await errorOf(assemblyAiClient(server.outside(), KEY))).toMatchObject({ code: 'timeout' })
		server.reply(
			{ upload_url: 'https://cdn.example/1' },
			{ id: 't-1' },
			{ status: 'error', error: `No ${KEY}` },
		)
		const error = await errorOf(assemblyAiClient(server.outside(), KEY))
		expect(error).toMatchObject({ code: 'rejected', message: 'the provider could not transcribe: No …' })
	})

	test('cannot lead us to another address by its id', async () => {
		server.reply({ upload_url: 'https://cdn.example/1' }, { id: '../../v1/keys' })
		expect(await errorOf(assemblyAiClient(server.outside(), KEY))).toMatchObject({
			code: 'unexpected_answer',
		})
	})
})

describe('Workers AI', () => {
	const answer = {
		transcription_info: { language: 'en', duration: 2.5 },
		text: 'Hi.',
		segments: [{ start: 0, end: 2, text: ' Hi.', words: [{ word: ' Hi.', start: 0, end: 1 }] }],
	}
	const withBinding = (run: (model: string, input: Record<string, unknown>) => Promise<unknown>) =>
		workersAiClient(server.outside({ ai: { run } }))

	test('gets the file in base64', async () => {
		const asked: unknown[] = []
		const client = withBinding(async (...args) => {
			asked.push(args)
			return answer
		})
		const result = await client.transcribe(audio, { language: 'de-AT', model: null })
		expect(result).toMatchObject({
			language: 'en',
			durationSec: 2.5,
			segments: [{ words: [{ word: 'Hi.' }] }],
		})
		const input = { audio: btoa('fLaC'), task: 'transcribe', language: 'de' }
		expect(asked).toEqual([['@cf/openai/whisper-large-v3-turbo', input]])
	})

	test.each([
		['4006: you have used up your daily free allocation', 'out_of_credit'],
		['3040: Capacity temporarily exceeded', 'rate_limited'],
		['5007: No such model', 'rejected'],
		['internal error', 'unavailable'],
	])('that fails with “%s” is %s', async (message, code) => {
		expect(await errorOf(withBinding(() => Promise.reject(new Error(message))))).toMatchObject({ code })
	})

	test('that hangs ends after the limit, and one without a binding at once', async () => {
		const hanging = workersAiClient(
			server.outside({ ai: { run: () => new Promise(() => {}) }, timeoutMs: 5 }),
		)
		expect(await errorOf(hanging)).toMatchObject({ code: 'timeout', kind: 'retryable' })
		expect(await errorOf(workersAiClient(server.outside()))).toMatchObject({ code: 'not_configured' })
	})
})

describe('a provider that fails', () => {
	test.each<[status: number, code: string, kind: string]>([
		[400, 'rejected', 'final'],
		[401, 'unauthorized', 'final'],
		[402, 'out_of_credit', 'final'],
		[403, 'unauthorized', 'final'],
		[408, 'unavailable', 'retryable'],
		[429, 'rate_limited', 'retryable'],
		[500, 'unavailable', 'retryable'],
		[503, 'unavailable', 'retryable'],
	])('with %i is %s, which is %s', async (status, code, kind) => {
		server.fail(status, '{"error":{"message":"No."}}')
		const error = await errorOf(openAi())
		expect([error.code, error.kind]).toEqual([code, kind])
		expect(error.message).toBe(`the provider returned ${status}: No.`)
	})

	test('says how long to wait', async () => {
		server.fail(429, 'slow down', { 'retry-after': '17' })
		expect((await errorOf(openAi())).retryAfterMs).toBe(17_000)
	})

	test('is quoted on one line, in at most 200 characters and without the key or its parts', async () => {
		server.fail(
			401,
			JSON.stringify({
				error: { message: `Incorrect key ${KEY}, or ${KEY.slice(0, 12)}***\n${'x'.repeat(900)}` },
			}),
		)
		const { message } = await errorOf(openAi())
		expect(message).toMatch(/^the provider returned 401: Incorrect key …, or …\S*\*\*\* x+$/)
		expect(message).not.toContain(KEY.slice(0, 8))
		expect(message.length).toBeLessThanOrEqual(230)
	})

	test('with a web page is malformed', async () => {
		server.reply('<!doctype html><h1>Sign in</h1>')
		expect(await errorOf(openAi())).toMatchObject({ code: 'not_json', kind: 'malformed' })
	})

	test('with truncated JSON is malformed, and so is one that breaks the connection', async () => {
		server.reply('{"text":"Hello","segments":[{"start":0,')
		expect(await errorOf(openAi())).toMatchObject({ code: 'not_json', kind: 'malformed' })
		server.answer((_, response) => {
			response.writeHead(200, { 'content-length': '1000' })
			response.write('{"text":')
			response.destroy()
		})
		expect(await errorOf(openAi())).toMatchObject({ code: 'no_connection', kind: 'retryable' })
	})

	test.each([
		['another form', { segments: 'none' }],
		['times that are text', { segments: [{ start: '0', end: 1, text: 'a' }] }],
		['a list', []],
	])('with %s is malformed', async (_, answer) => {
		server.reply(answer)
		expect(await errorOf(openAi())).toMatchObject({ code: 'unexpected_answer', kind: 'malformed' })
	})

	test('with too much is malformed, and is not read to its end', async () => {
		let sent = 0
		server.answer((_, response) => {
			const chunk = Buffer.alloc(1_000_000, 'x')
			const pump = () => {
				if (response.destroyed || sent > 40 * chunk.length) return void response.end()
				sent += chunk.length
				response.write(chunk, pump)
			}
			pump()
		})
		expect(await errorOf(openAi())).toMatchObject({ code: 'too_large', kind: 'malformed' })
		expect(sent).toBeLessThan(3 * MAX_ANSWER_BYTES)
	})

	test('to answer, or to finish its answer, ends after the limit', async () => {
		server.answer(() => undefined)
		expect(await errorOf(openAi({ timeoutMs: 20 }))).toMatchObject({ code: 'timeout', kind: 'retryable' })
		server.answer((_, response) => void response.write('{"text":'))
		expect(await errorOf(openAi({ timeoutMs: 50 }))).toMatchObject({ code: 'timeout', kind: 'retryable' })
	})

	test('with a redirect is not followed', async () => {
		server.fail(302, '', { location: 'http://127.0.0.1/' })
		expect(await errorOf(openAi())).toMatchObject({ code: 'redirected', kind: 'final' })
		expect(server.seen).toHaveLength(1)
	})

	test('by an address that is not allowed is never called', async () => {
		server.reply({})
		const urlProblem = () => 'must have a public host'
		expect(await errorOf(openAi({ urlProblem }))).toMatchObject({
			code: 'address_refused',
			message: 'the address of the provider must have a public host',
		})
		expect(server.seen).toEqual([])
	})
})
