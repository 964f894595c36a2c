import { z } from 'zod'
import type { Audio, LaterClient, Outside, TranscribeOptions } from './client.ts'
import { parseLanguageTag, toWhisperCode } from './language-tag.ts'
import { ProviderError, quoteUpstream, runAfterStart } from './provider-error.ts'
import { type ProviderRequest, requestJson } from './request.ts'
import { joinTokens, parseAnswer, segmentWords, type TranscriptionResult, toResult } from './result.ts'

const BASE = 'https://api.assemblyai.com/v2'
const FIRST_POLL_MS = 1_000
const MAX_POLL_MS = 5_000

const number = z.number()
/** The id becomes part of a URL. */
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

/** AssemblyAI is asynchronous and uses milliseconds. */
export function assemblyAiClient(outside: Outside, key: string): Required<LaterClient> {
	const headers = { authorization: key }
	const begin = async (
		request: Requester,
		{ bytes, contentType }: Audio,
		{ language, model }: TranscribeOptions,
		callbackUrl?: string,
	): Promise<string> => {
		const uploaded = await request({
			url: `${BASE}/upload`,
			method: 'POST',
			headers: { ...headers, 'content-type': contentType },
			body: bytes,
			key,
		})
		const wanted = {
			audio_url: parseAnswer(Uploaded, uploaded).upload_url,
			...(model && { speech_models: [model] }),
			...(language ? { language_code: toWhisperCode(language) } : { language_detection: true }),
			...(callbackUrl !== undefined && { webhook_url: callbackUrl }),
		}
		const started = await request({
			url: `${BASE}/transcript`,
			method: 'POST',
			headers: { ...headers, 'content-type': 'application/json' },
			body: JSON.stringify(wanted),
			key,
		})
		return parseAnswer(Started, started).id
	}
	const fetchResult = async (request: Requester, remoteId: string): Promise<TranscriptionResult | null> => {
		const url = `${BASE}/transcript/${encodeURIComponent(remoteId)}`
		const answer = await runAfterStart(async () =>
			parseAnswer(Answer, await request({ url, method: 'GET', headers, key })),
		)
		if (answer.status === 'error')
			throw new ProviderError(
				'rejected',
				`the provider failed to transcribe: ${quoteUpstream(answer.error ?? '', key)}`,
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
				language: parseLanguageTag(answer.language_code),
				durationSec: answer.audio_duration,
				text: answer.text ?? '',
				segments: segmentWords(words),
			},
			words.length > 0,
		)
	}
	return {
		start: (audio, options, callbackUrl) => begin(requester(outside), audio, options, callbackUrl),
		fetchResult: (remoteId) => fetchResult(requester(outside), remoteId),
		async transcribe(audio, options) {
			const request = requester(outside)
			const remoteId = await begin(request, audio, options)
			for (let pause = FIRST_POLL_MS; ; pause = Math.min(pause * 2, MAX_POLL_MS)) {
				await outside.wait(pause)
				const result = await fetchResult(request, remoteId)
				if (result) return result
			}
		},
	}
}

type Requester = (request: ProviderRequest) => Promise<unknown>

/** Returns a function for the requests of one exchange, which share the timeout of one call. */
function requester(outside: Outside): Requester {
	const endsAt = outside.clock() + outside.timeoutMs
	return (request) => {
		const timeoutMs = endsAt - outside.clock()
		if (timeoutMs > 0) return requestJson({ ...outside, timeoutMs }, request)
		const seconds = Math.round(outside.timeoutMs / 1_000)
		throw new ProviderError('timeout', `the provider did not finish within ${seconds} seconds`)
	}
}
