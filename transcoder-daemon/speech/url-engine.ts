import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { trimEnd } from '#schema/contract/kit/trim-end.ts'
import type { SpeechConfig } from '../config.ts'
import type { SpeechEngine } from './engine.ts'
import { readRecognition } from './recognition-json.ts'

const MAX_ANSWER_BYTES = 64 * 1024 ** 2
const MAX_ERROR_CHARS = 200

type Service = { url: string } & Pick<SpeechConfig, 'model' | 'key' | 'languages'>

/** An OpenAI-compatible server, possibly in the local network: the daemon calls it. */
export const createUrlEngine = (
	{ url, model, key, languages }: Service,
	fetch: typeof globalThis.fetch,
): SpeechEngine => ({
	name: 'url',
	languages,

	async recognize({ audioPath, language, signal, timeoutMs }) {
		const form = new FormData()
		form.set('file', new Blob([await readFile(audioPath)], { type: 'audio/flac' }), basename(audioPath))
		form.set('model', model ?? 'whisper-1')
		form.set('response_format', 'verbose_json')
		for (const granularity of ['segment', 'word']) form.append('timestamp_granularities[]', granularity)
		if (language !== null) form.set('language', language.split('-')[0] ?? language)
		const response = await fetch(endpointOf(url), {
			method: 'POST',
			body: form,
			headers: key === null ? {} : { authorization: `Bearer ${key}` },
			redirect: 'error',
			signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
		})
		const text = await readText(response)
		if (!response.ok)
			throw new Error(
				`the speech server returned ${response.status}: ${withoutKey(text, key).slice(0, MAX_ERROR_CHARS)}`,
			)
		return readRecognition(text)
	},
})

/** Accepts the API's base URL, as OpenAI clients do, and the full URL. */
const endpointOf = (url: string): string =>
	/\/(transcriptions|inference)\/?$/.test(url) ? url : `${trimEnd(url, '/')}/audio/transcriptions`

const withoutKey = (text: string, key: string | null): string => (key ? text.replaceAll(key, '[key]') : text)

async function readText(response: Response): Promise<string> {
	const parts: Uint8Array[] = []
	let bytes = 0
	for await (const part of response.body ?? []) {
		bytes += part.length
		if (bytes > MAX_ANSWER_BYTES) throw new Error(`the answer exceeds ${MAX_ANSWER_BYTES} bytes`)
		parts.push(part)
	}
	return Buffer.concat(parts).toString('utf8')
}
