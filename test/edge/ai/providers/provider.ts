import { testAiSettings, updateAiSettings } from '#schema/contract/ai/settings.ts'
import type { CallInput } from '#schema/contract/kit/client.ts'
import type { Feature } from '../../../../edge/http/feature.ts'
import { openWorld } from '../../../support/edge/world.ts'

export const KEY = 'sk-secret-0123456789abcdef'
export const openAi = {
	provider: 'openai-compatible' as const,
	baseUrl: 'https://api.example.org/v1',
	model: 'whisper-1',
	apiKey: KEY,
}
export const spoken = {
	language: 'english',
	duration: 2.6,
	text: 'The quick brown fox.',
	segments: [{ start: 0, end: 2.4, text: ' The quick brown fox.' }],
	words: [
		{ word: 'The', start: 0, end: 0.3 },
		{ word: 'quick', start: 0.3, end: 0.7 },
		{ word: 'brown', start: 0.7, end: 1.2 },
		{ word: 'fox', start: 1.2, end: 2.4 },
	],
}

type Reply = () => Response | Promise<Response>

/** A world whose providers are one server, which answers with speech unless the test sets other replies. */
export async function openProviderWorld(vars: Record<string, string> = {}, features?: readonly Feature[]) {
	const sent: { url: string; headers: Headers; body: unknown }[] = []
	let replies: Reply[] = []
	let standardReply: Reply = () => Response.json(spoken)
	const world = await openWorld(vars, {
		...(features && { features }),
		async fetchPublic(url, init) {
			sent.push({ url, headers: new Headers(init.headers), body: init.body })
			return (replies.shift() ?? standardReply)()
		},
	})
	const ada = await world.person()
	world.messages.length = 0
	return {
		world,
		ada,
		sent,
		reply: (...next: Reply[]) => {
			replies = next
		},
		alwaysReply: (reply: Reply) => {
			standardReply = reply
		},
		save: (body: NonNullable<CallInput<typeof updateAiSettings>['body']>, who = ada) =>
			world.ask(updateAiSettings, { body }, who),
		test: (body?: CallInput<typeof testAiSettings>['body'], who = ada) =>
			world.ask(testAiSettings, body ? { body } : {}, who),
	}
}
export type ProviderWorld = Awaited<ReturnType<typeof openProviderWorld>>
