import { describe, expect, test } from 'vitest'
import { assemblyAiClient } from '../../../../../edge/ai/providers/clients/assemblyai.ts'
import { deepgramClient } from '../../../../../edge/ai/providers/clients/deepgram.ts'
import { workersAiClient } from '../../../../../edge/ai/providers/clients/workers-ai.ts'
import { audio, detect, KEY, openProviderServer, transcriptionError } from './provider-server.node.ts'

const server = openProviderServer()

describe('Deepgram', () => {
	test('the Deepgram client sends the bytes, and makes segments of utterances with punctuated words', async () => {
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

	test('the Deepgram client passes the callback address on', async () => {
		server.reply({ request_id: 'r-1' })
		const client = deepgramClient(server.outside(), KEY)
		expect(await client.start(audio, detect, 'https://play.example/cb?call=1&cap=2')).toBe('r-1')
		expect(new URLSearchParams(server.seen[0]?.path.split('?')[1]).get('callback')).toBe(
			'https://play.example/cb?call=1&cap=2',
		)
	})
})

describe('AssemblyAI', () => {
	test('the AssemblyAI client polls until the work is done, and converts milliseconds', async () => {
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

	test('an AssemblyAI transcription that never finishes or fails ends with a reason', async () => {
		server.reply({ upload_url: 'https://cdn.example/1' }, { id: 't-1' }, { id: 't-1', status: 'processing' })
		let now = 0
		const slow = server.outside()
		const outside = {
			...slow,
			clock: () => now,
			// Uploads, requests and pauses all take their part of the one time limit.
			fetch: (url: string, init: RequestInit) => {
				now += 8_000
				return slow.fetch(url, init)
			},
		}
		expect(await transcriptionError(assemblyAiClient(outside, KEY))).toMatchObject({ code: 'timeout' })
		expect(server.seen).toHaveLength(3)
		server.reply(
			{ upload_url: 'https://cdn.example/1' },
			{ id: 't-1' },
			{ status: 'error', error: `No ${KEY}` },
		)
		const error = await transcriptionError(assemblyAiClient(server.outside(), KEY))
		expect(error).toMatchObject({ code: 'rejected', message: 'the provider failed to transcribe: No …' })
	})

	test('the id in a response of AssemblyAI cannot lead us to another address', async () => {
		server.reply({ upload_url: 'https://cdn.example/1' }, { id: '../../v1/keys' })
		expect(await transcriptionError(assemblyAiClient(server.outside(), KEY))).toMatchObject({
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

	test('the Workers AI client sends the file in base64', async () => {
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
	])('a Workers AI failure “%s” is %s', async (message, code) => {
		expect(await transcriptionError(withBinding(() => Promise.reject(new Error(message))))).toMatchObject({
			code,
		})
	})

	test('a hanging Workers AI call ends after the limit, and one without a binding at once', async () => {
		const hanging = workersAiClient(
			server.outside({ ai: { run: () => new Promise(() => {}) }, timeoutMs: 5 }),
		)
		expect(await transcriptionError(hanging)).toMatchObject({ code: 'timeout', kind: 'retryable' })
		expect(await transcriptionError(workersAiClient(server.outside()))).toMatchObject({
			code: 'not_configured',
		})
	})
})
