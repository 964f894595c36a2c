import { z } from 'zod'
import type { Audio, LaterClient, Outside, TranscribeOptions } from './client.ts'
import { languageTag, whisperCode } from './language-tag.ts'
import { afterStart, ProviderError, quoteUpstream } from './provider-error.ts'
import { requestJson } from './request.ts'
import { joinTokens, parseAnswer, segmentWords, toResult } from './result.ts'

const BASE = 'https://api.assemblyai.com/v2'
const FIRST_POLL_MS = 1_000
const MAX_POLL_MS = 5_000

const number = z.number()
/** An id becomes a part of an address. */
const Started = z.object({ id: z.string().regex(/^[\w-]{1,100}$/) })
const Uploaded = z.object({ upload_url: z.url({ protocol: /^https$/ }) })
const Answer = z.object({
	status: z.enum(['queued', 'processing', 'completed', 'error']),
	text: z.string().nullish(),
	language_code: z.string().nullish(),
	audio_duration: number.nullish(),
	error: z.string().nullish(),
	words: z.array(z.object({ text: z.string(), start: number, end: number })).nullish(),
})

/** AssemblyAI works asynchronously, and counts in milliseconds. */
export function assemblyAiClient(outside: Outside, key: string): Required<LaterClient> {
	const headers = { authorization: key }
	const begin = async (
		{ bytes, contentType }: Audio,
		{ language, model }: TranscribeOptions,
		callbackUrl?: string,
	): Promise<string> => {
		const uploaded = await requestJson(outside, {
			url: `${BASE}/upload`,
			method: 'POST',
			headers: { ...headers, 'content-type': contentType },
			body: bytes,
			key,
		})
		const request = {
			audio_url: parseAnswer(Uploaded, uploaded).upload_url,
			...(model && { speech_models: [model] }),
			...(language ? { language_code: whisperCode(language) } : { language_detection: true }),
			...(callbackUrl !== undefined && { webhook_url: callbackUrl }),
		}
		const started = await requestJson(outside, {
			url: `${BASE}/transcript`,
			method: 'POST',
			headers: { ...headers, 'content-type': 'application/json' },
			body: JSON.stringify(request),
			key,
		})
		return parseAnswer(Started, started).id
	}
	const fetchResult: Required<LaterClient>['fetchResult'] = async (remoteId) => {
		const url = `${BASE}/transcript/${encodeURIComponent(remoteId)}`
		const answer = await afterStart(async () =>
			parseAnswer(Answer, await requestJson(outside, { url, method: 'GET', headers, key })),
		)
		if (answer.status === 'error')
			throw new ProviderError(
				'rejected',
				`the provider could not transcribe: ${quoteUpstream(answer.error ?? '', key)}`,
			)
		if (answer.status !== 'completed') return null
		const spoken = (answer.words ?? []).map(({ text, start, end }) => ({
			word: text,
			start: start / 1_000,
			end: end / 1_000,
		}))
		const words = joinTokens(spoken)
		return toResult(
			{
				language: languageTag(answer.language_code),
				durationSec: answer.audio_duration,
				text: answer.text ?? '',
				segments: segmentWords(words),
			},
			words.length > 0,
		)
	}
	return {
		start: begin,
		fetchResult,
		async transcribe(audio, options) {
			const remoteId = await begin(audio, options)
			let waited = 0
			for (let pause = FIRST_POLL_MS; waited < outside.timeoutMs; pause = Math.min(pause * 2, MAX_POLL_MS)) {
				await outside.wait(pause)
				waited += pause
				const result = await fetchResult(remoteId)
				if (result) return result
			}
			throw new ProviderError(
				'timeout',
				`the provider did not finish within ${Math.round(outside.timeoutMs / 1_000)} seconds`,
			)
		},
	}
}
