import { describe, expect, test } from 'vitest'
import type { Outside } from '../../../../../edge/ai/providers/clients/client.ts'
import { openAiClient } from '../../../../../edge/ai/providers/clients/openai.ts'
import { audio, detect, KEY, openProviderServer, transcriptionError } from './provider-server.node.ts'

const server = openProviderServer()
const openAi = (more: Partial<Outside> = {}, url = 'https://api.example.org/v1') =>
	openAiClient(server.outside(more), url, KEY)

describe('a server with the API of OpenAI', () => {
	test('the OpenAI client sends the file with its options, and puts separate words into segments', async () => {
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

	test('the OpenAI client understands whisper-server, with tokens as words and English as default', async () => {
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

	test('the OpenAI client accepts segments alone, or words alone', async () => {
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

	test('the OpenAI client returns nothing for silence, and rejects text without times', async () => {
		server.reply({ text: '', segments: [] })
		expect((await openAi().transcribe(audio, detect)).segments).toEqual([])
		server.reply({ text: 'Hello there.' })
		expect(await transcriptionError(openAi())).toMatchObject({ code: 'no_times', kind: 'final' })
	})

	test('the OpenAI client sorts out overlapping and empty segments', async () => {
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
