import { z } from 'zod'
import type { AiBinding } from '../../../platform/env.ts'
import { withTimeout } from '../../../platform/network/time-limit.ts'
import type { Audio, Client, Outside, TranscribeOptions } from './client.ts'
import { readDeepgram } from './deepgram.ts'
import { parseLanguageTag, toWhisperCode } from './language-tag.ts'
import { readVerboseJson } from './openai.ts'
import { ProviderError, quoteUpstream } from './provider-error.ts'

const DEFAULT_MODEL = '@cf/openai/whisper-large-v3-turbo'
const MODELS = [DEFAULT_MODEL, '@cf/deepgram/nova-3']
/** Five minutes of FLAC. An isolate has 128 MB for the file, its base64 form and the request. */
const MAX_BYTES = 16_000_000
const CHUNK = 0x8000

const Info = z.object({
	transcription_info: z.object({ language: z.string().nullish(), duration: z.number().nullish() }).nullish(),
})

/** Workers AI, by the binding `AI`. It needs no key. */
export function workersAiClient({ ai, timeoutMs }: Outside): Client {
	return {
		async transcribe({ bytes, contentType }: Audio, { language, model }: TranscribeOptions) {
			if (!ai) throw new ProviderError('not_configured', 'Workers AI is not set up: bind AI')
			if (bytes.byteLength > MAX_BYTES)
				throw new ProviderError('rejected', `the audio is larger than ${MAX_BYTES} bytes`)
			const name = model ?? DEFAULT_MODEL
			// The installation pays, so organizations can't run arbitrary models of the account.
			if (!MODELS.includes(name))
				throw new ProviderError(
					'rejected',
					`this transcription model is not available; choose one of ${MODELS.join(', ')}`,
				)
			const isDeepgram = name.startsWith('@cf/deepgram/')
			const input = isDeepgram
				? {
						audio: { body: new Blob([bytes]).stream(), contentType },
						utterances: true,
						smart_format: true,
						...(language ? { language } : { detect_language: true }),
					}
				: {
						audio: toBase64(bytes),
						task: 'transcribe',
						...(language && { language: toWhisperCode(language) }),
					}
			const answer = await runBinding(ai, name, input, timeoutMs)
			if (isDeepgram) return readDeepgram(answer, language)
			const result = readVerboseJson(answer)
			const info = Info.safeParse(answer).data?.transcription_info
			return {
				...result,
				language: parseLanguageTag(info?.language) ?? result.language,
				durationSec: info?.duration ?? result.durationSec,
			}
		},
	}
}

/** Runs a model of the binding. Throws `ProviderError`. */
export async function runBinding(
	ai: AiBinding,
	name: string,
	input: Record<string, unknown>,
	timeoutMs: number,
): Promise<unknown> {
	const seconds = Math.round(timeoutMs / 1_000)
	const lateError = () => new ProviderError('timeout', `no complete response within ${seconds} seconds`)
	try {
		return await withTimeout(timeoutMs, ai.run(name, input), lateError)
	} catch (error) {
		throw error instanceof ProviderError ? error : bindingError(error)
	}
}

/** The binding's errors start with a Cloudflare code: 3040 means no capacity, 4006 the end of the free quota. */
function bindingError(error: unknown): ProviderError {
	const text = error instanceof Error ? error.message : String(error)
	const message = `Workers AI failed: ${quoteUpstream(text, null)}`
	if (/\b4006\b/.test(text)) return new ProviderError('out_of_credit', message)
	if (/\b(3036|3040|429)\b|capacity/i.test(text)) return new ProviderError('rate_limited', message)
	if (/\b(5004|5006|5007)\b|no such model/i.test(text)) return new ProviderError('rejected', message)
	return new ProviderError('unavailable', message)
}

/** `String.fromCharCode` takes a limited number of arguments. */
function toBase64(bytes: Uint8Array): string {
	let text = ''
	for (let at = 0; at < bytes.byteLength; at += CHUNK)
		text += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
	return btoa(text)
}
