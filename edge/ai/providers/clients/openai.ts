import { z } from 'zod'
import { trimEnd } from '#schema/contract/kit/trim-end.ts'
import type { Audio, Client, Outside, TranscribeOptions } from './client.ts'
import { parseLanguageTag, toWhisperCode } from './language-tag.ts'
import { requestJson } from './request.ts'
import { joinTokens, parseAnswer, placeWords, RawWord, segmentWords, toResult } from './result.ts'

const number = z.number()
const Answer = z.object({
	text: z.string().default(''),
	language: z.string().nullish(),
	detected_language: z.string().nullish(),
	duration: number.nullish(),
	/** OpenAI and Groq list the words beside the segments, whisper-server lists tokens inside of them. */
	words: z.array(RawWord).nullish(),
	segments: z
		.array(
			z.object({
				start: number,
				end: number,
				text: z.string(),
				avg_logprob: number.nullish(),
				compression_ratio: number.nullish(),
				no_speech_prob: number.nullish(),
				words: z.array(RawWord).nullish(),
			}),
		)
		.nullish(),
})

/** Parses `verbose_json` of OpenAI, Groq, whisper-server and speaches. */
export function readVerboseJson(answer: unknown) {
	const { text, language, detected_language, duration, words, segments } = parseAnswer(Answer, answer)
	const listed = (segments ?? []).map((segment) => ({
		start: segment.start,
		end: segment.end,
		text: segment.text,
		...(typeof segment.avg_logprob === 'number' && { avgLogprob: segment.avg_logprob }),
		...(typeof segment.compression_ratio === 'number' && { compressionRatio: segment.compression_ratio }),
		...(typeof segment.no_speech_prob === 'number' && { noSpeechProb: segment.no_speech_prob }),
		words: segment.words,
	}))
	const beside = joinTokens(words ?? [])
	const areBeside = beside.length > 0
	const placed = !areBeside ? listed : listed.length > 0 ? placeWords(listed, beside) : segmentWords(beside)
	const hasWords = areBeside || listed.some((segment) => (segment.words?.length ?? 0) > 0)
	return toResult(
		{
			language: parseLanguageTag(language) ?? parseLanguageTag(detected_language),
			durationSec: duration,
			text,
			segments: placed,
		},
		hasWords,
	)
}

const names: Record<string, string> = {
	'audio/flac': 'audio.flac',
	'audio/mpeg': 'audio.mp3',
	'audio/ogg': 'audio.ogg',
	'audio/wav': 'audio.wav',
	'audio/mp4': 'audio.m4a',
}

/**
 * A server with the API of OpenAI. `baseUrl` is the part before `/audio/transcriptions`, such as
 * `https://api.openai.com/v1`, or the whole address.
 */
export function openAiClient(outside: Outside, baseUrl: string, key: string | null): Client {
	const base = trimEnd(baseUrl, '/')
	const isWhole = /\/(inference|audio\/transcriptions)$/.test(base)
	const isWhisperServer = base.endsWith('/inference')
	return {
		async transcribe({ bytes, contentType }: Audio, { language, model }: TranscribeOptions) {
			const form = new FormData()
			form.set('file', new File([bytes], names[contentType] ?? 'audio', { type: contentType }))
			if (model) form.set('model', model)
			form.set('response_format', 'verbose_json')
			form.append('timestamp_granularities[]', 'segment')
			form.append('timestamp_granularities[]', 'word')
			if (language) form.set('language', toWhisperCode(language))
			if (isWhisperServer) {
				// The default is English, and the probabilities of all languages cost another pass.
				if (!language) form.set('language', 'auto')
				form.set('no_language_probabilities', 'true')
			}
			return readVerboseJson(
				await requestJson(outside, {
					url: isWhole ? base : `${base}/audio/transcriptions`,
					method: 'POST',
					headers: key === null ? {} : { authorization: `Bearer ${key}` },
					body: form,
					key,
				}),
			)
		},
	}
}
