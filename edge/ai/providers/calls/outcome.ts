import type { TranscriptionProvider } from '#schema/contract/ai/settings.ts'
import { MINUTE } from '../../../platform/clock.ts'
import type { ProviderError, ProviderErrorCode } from '../clients/provider-error.ts'
import type { TranscriptionResult } from '../clients/result.ts'

const RETRY_MS = MINUTE

export type ProviderOutcome =
	| {
			state: 'completed'
			callId: string
			provider: string
			model: string | null
			result: TranscriptionResult
	  }
	/** The provider will call back; `recordTranscription` then receives the outcome. */
	| { state: 'waiting'; callId: string; provider: TranscriptionProvider }
	/** Temporary: the provider fails or must wait; `code` is null if no call was made. */
	| { state: 'retry'; code: ProviderErrorCode | null; afterMs: number; reason: string }
	/** A retry is useless until somebody changes the settings, the account or the audio. */
	| { state: 'failed'; code: ProviderErrorCode; reason: string }
	/** No call was made: there is no provider, or the monthly limit is used up. */
	| { state: 'skipped'; reason: string }

/** The work that a call was made for, as its caller named it. */
type CallSubject = { callId: string; orgId: string; subject: string; epoch: number }

declare module '../../../platform/deps.ts' {
	interface Contributions {
		/** Records the outcome of a call for a subject. Idempotent. */
		takeTranscription(deps: Deps, call: CallSubject, outcome: ProviderOutcome): Promise<void>
	}
}

/** Why there is no result. */
export type Refusal = Extract<ProviderOutcome, { state: 'retry' | 'failed' | 'skipped' }>

export const toFailureOutcome = ({ kind, code, message, retryAfterMs }: ProviderError): Refusal =>
	kind === 'final'
		? { state: 'failed', code, reason: message }
		: { state: 'retry', code, afterMs: retryAfterMs ?? RETRY_MS, reason: message }
