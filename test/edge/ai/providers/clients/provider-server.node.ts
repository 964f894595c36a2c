import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'
import type { Client, Outside } from '../../../../../edge/ai/providers/clients/client.ts'
import { ProviderError } from '../../../../../edge/ai/providers/clients/provider-error.ts'

export const KEY = 'sk-secret-0123456789abcdef'
export const audio = { bytes: new TextEncoder().encode('fLaC'), contentType: 'audio/flac' }
export const detect = { language: null, model: null }

/** Returns the error of a transcription that must fail. */
export async function transcriptionError(client: Client): Promise<ProviderError> {
	const error = await client.transcribe(audio, detect).then(
		() => null,
		(reason: unknown) => reason,
	)
	if (!(error instanceof ProviderError)) throw new Error(`no ProviderError: ${error}`)
	return error
}

export type Seen = { method: string; path: string; headers: IncomingMessage['headers']; body: string }
type Answer = (seen: Seen, response: ServerResponse) => void

/** A provider on this machine. Requests to any host reach it, with their path. */
export function openProviderServer() {
	const seen: Seen[] = []
	/** Counts the answers that tests have set, and is the first part of each path. */
	let round = 0
	let answer: Answer = (_, response) => void response.end('{}')
	const server = createServer(async (request, response) => {
		const chunks: Buffer[] = []
		for await (const chunk of request) chunks.push(chunk)
		const { method = '', url = '', headers } = request
		const [, roundOfRequest, path = ''] = /^\/(\d+)(.*)$/.exec(url) ?? []
		// The client of an earlier test may have timed out before its request arrived here.
		if (Number(roundOfRequest) !== round) return void response.destroy()
		const one = { method, path, headers, body: Buffer.concat(chunks).toString('latin1') }
		seen.push(one)
		answer(one, response)
	})
	beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)))
	afterAll(() => {
		server.closeAllConnections()
		server.close()
	})
	const outside = (more: Partial<Outside> = {}): Outside => ({
		fetch: (url, init) => {
			const { pathname, search } = new URL(url)
			const { port } = server.address() as AddressInfo
			return fetch(`http://127.0.0.1:${port}/${round}${pathname}${search}`, init)
		},
		clock: () => Date.UTC(2037, 10, 21),
		wait: async () => undefined,
		urlProblem: () => null,
		ai: null,
		timeoutMs: 20_000,
		...more,
	})
	return {
		seen,
		outside,
		answer(next: Answer) {
			seen.length = 0
			round++
			answer = next
		},
		/** Answers each request with the next text, and the last one again. */
		reply(...texts: (string | object)[]) {
			let at = 0
			this.answer((_, response) => {
				const text = texts[Math.min(at++, texts.length - 1)]
				// As whisper-server sends its JSON.
				response.setHeader('content-type', 'text/html')
				response.end(typeof text === 'string' ? text : JSON.stringify(text))
			})
		},
		fail(status: number, text: string, headers: Record<string, string> = {}) {
			this.answer((_, response) => {
				response.writeHead(status, headers)
				response.end(text)
			})
		},
	}
}
