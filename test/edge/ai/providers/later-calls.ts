import { Webhook } from 'standardwebhooks'
import { receiveAiCallback } from '#schema/contract/ai/callback.ts'
import { deriveCallSecret } from '../../../../edge/ai/providers/callbacks/call-secret.ts'
import type { ProviderOutcome } from '../../../../edge/ai/providers/calls/outcome.ts'
import { transcribeWithProvider } from '../../../../edge/ai/providers/calls/transcribe.ts'
import { features } from '../../../../edge/features.ts'
import type { Feature } from '../../../../edge/http/feature.ts'
import { SECOND } from '../../../../edge/platform/clock.ts'
import { deriveSecrets } from '../../../../edge/platform/tokens/secrets.ts'
import { testVariables } from '../../../support/shared/variables.ts'
import { openProviderWorld } from './provider.ts'

export const KEY = 'provider-key-0123456789'
export const secrets = deriveSecrets(testVariables.AUTH_SECRET)
export const text = {
	callId: '',
	epoch: 2,
	status: 'completed',
	language: 'english',
	duration: 60,
	segments: [{ start: 0, end: 1, text: 'Hello there.' }],
}

type Taken = { call: { callId: string; subject: string; epoch: number }; outcome: ProviderOutcome }

/** Calls whose outcome comes later, with what was handed over. `whileTaking` runs while an outcome is handed over. */
export async function openLaterCalls() {
	const taken: Taken[] = []
	const transcription: Feature = {
		contributions: {
			async takeTranscription(_, call, outcome) {
				taken.push({ call, outcome })
				await later.whileTaking()
			},
		},
	}
	const studio = await openProviderWorld({ PUBLIC_URL: 'https://edge.test' }, [...features, transcription])
	const later = {
		studio,
		taken,
		whileTaking: async (): Promise<void> => undefined,

		/** Starts a call whose outcome comes later, and returns its id. */
		async start(provider: 'deepgram' | 'assemblyai' = 'deepgram', epoch = 2): Promise<string> {
			await studio.save({ transcription: { provider, apiKey: KEY, pricePerMinuteMicros: 6_000 } })
			const answers =
				provider === 'deepgram'
					? [{ request_id: 'r-1' }]
					: [{ upload_url: 'https://cdn.example/1' }, { id: 't-1' }]
			studio.reply(...answers.map((answer) => () => Response.json(answer)))
			const audio = { bytes: new Uint8Array(9), contentType: 'audio/flac', durationSec: 60 }
			const outcome = await studio.world.deps((deps) =>
				transcribeWithProvider(deps, studio.ada.orgId, audio, {
					language: null,
					later: { subject: 'chunk-1', epoch },
				}),
			)
			if (outcome.state !== 'waiting') throw new Error(`not waiting: ${JSON.stringify(outcome)}`)
			return outcome.callId
		},

		async signed(callId: string, body: unknown, more: { id?: string; ageMs?: number; signer?: string } = {}) {
			const raw = typeof body === 'string' ? body : JSON.stringify(body)
			const { id = 'msg-1', ageMs = 0, signer = callId } = more
			const at = new Date(studio.world.now - ageMs)
			const headers = {
				'webhook-id': id,
				'webhook-timestamp': String(Math.floor(at.getTime() / SECOND)),
				'webhook-signature': new Webhook(await deriveCallSecret(secrets, signer)).sign(id, at, raw),
				'content-type': 'application/json',
			}
			return studio.world.ask(receiveAiCallback, { query: { call: callId } }, { bytes: raw, headers })
		},

		withCapability: (callId: string, cap: string, body: unknown) =>
			studio.world.ask(
				receiveAiCallback,
				{ query: { call: callId, cap } },
				{ bytes: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
			),

		readStatus: (callId: string) =>
			studio.world.deps(async ({ db }) => {
				const [row] = await db.all<{ status: string }>(`select status from ai_calls where id = '${callId}'`)
				return row?.status
			}),
	}
	return later
}

export type LaterCalls = Awaited<ReturnType<typeof openLaterCalls>>
