import { z } from 'zod'
import type { Audio, Outside, TranscribeOptions } from './client.ts'
import { parseLanguageTag } from './language-tag.ts'
import { requestJson } from './request.ts'
import { joinTokens, parseAnswer, segmentWords, toResult } from './result.ts'

const number = z.number()
const Word = z.object({
	word: z.string(),
	punctuated_word: z.string().nullish(),
	start: number,
	end: number,
})
const Answer = z.object({
	metadata: z.object({ duration: number.nullish() }).nullish(),
	results: z.object({
		channels: z
			.array(
				z.object({
					detected_language: z.string().nullish(),
					alternatives: z.array(z.object({ transcript: z.string(), words: z.array(Word).nullish() })).min(1),
				}),
			)
			.min(1),
		utterances: z
			.array(z.object({ start: number, end: number, transcript: z.string(), words: z.array(Word).nullish() }))
			.nullish(),
	}),
})

const wordOf = ({ word, punctuated_word, start, end }: z.output<typeof Word>) => ({
	word: punctuated_word ?? word,
	start,
	end,
})

/** Parses a Deepgram response. It names only a detected language; otherwise `asked` applies. */
export function readDeepgram(answer: unknown, asked: string | null) {
	const { metadata, results } = parseAnswer(Answer, answer)
	const [channel] = results.channels
	const [best] = channel?.alternatives ?? []
	const words = joinTokens((best?.words ?? []).map(wordOf))
	const utterances = (results.utterances ?? []).map(({ start, end, transcript, words }) => ({
		start,
		end,
		text: transcript,
		words: words?.map(wordOf),
	}))
	return toResult(
		{
			language: parseLanguageTag(channel?.detected_language) ?? asked,
			durationSec: metadata?.duration,
			text: best?.transcript ?? '',
			segments: utterances.length > 0 ? utterances : segmentWords(words),
		},
		words.length > 0,
	)
}

const DEFAULT_MODEL = 'nova-3'
const Accepted = z.object({ request_id: z.string().min(1).max(200) })

export function deepgramClient(outside: Outside, key: string) {
	const send = ({ bytes, contentType }: Audio, options: TranscribeOptions, callback?: string) => {
		const { language, model } = options
		const query = new URLSearchParams({
			model: model ?? DEFAULT_MODEL,
			smart_format: 'true',
			utterances: 'true',
		})
		if (language) query.set('language', language)
		else query.set('detect_language', 'true')
		if (callback !== undefined) query.set('callback', callback)
		return requestJson(outside, {
			url: `https://api.deepgram.com/v1/listen?${query}`,
			method: 'POST',
			headers: { authorization: `Token ${key}`, 'content-type': contentType },
			body: bytes,
			key,
		})
	}
	return {
		transcribe: async (audio: Audio, options: TranscribeOptions) =>
			readDeepgram(await send(audio, options), options.language),
		start: async (audio: Audio, options: TranscribeOptions, callbackUrl: string) =>
			parseAnswer(Accepted, await send(audio, options, callbackUrl)).request_id,
	}
}
