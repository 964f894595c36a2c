import { HOUR, MINUTE } from '../../../platform/clock.ts'
import type { ProviderError, ProviderErrorCode } from '../clients/provider-error.ts'

/** The breaker opens after this many failures in a row. */
export const MAX_FAILURES = 5
export const FIRST_OPEN_MS = MINUTE
export const MAX_OPEN_MS = HOUR
/** How long a half-open breaker waits for its one call before it admits another. */
export const PROBE_MS = 10 * MINUTE

/** Transcription and language models have separate breakers, because they often use different addresses. */
export const breakerName = (
	provider: string,
	purpose: 'transcription' | 'language-model' = 'transcription',
): string => (purpose === 'language-model' ? `${provider}/${purpose}` : provider)

/** What a failure does to the breaker of a provider. */
export type BreakerEffect =
	/** The call is at fault, not the provider. */
	| { kind: 'none' }
	| { kind: 'count'; openMs: number | null }
	/** Every further call would fail until a person intervenes. */
	| { kind: 'open'; code: ProviderErrorCode; reason: string }

/** For tests: the tested settings may not be stored, so they affect no breaker. */
export const NO_EFFECT: BreakerEffect = { kind: 'none' }

const needsPerson: readonly ProviderErrorCode[] = ['unauthorized', 'out_of_credit', 'address_refused']
const atFault: readonly ProviderErrorCode[] = [
	'rejected',
	'no_times',
	'not_configured',
	'refused',
	'unusable',
]

export function chooseBreakerEffect({ code, message, retryAfterMs }: ProviderError): BreakerEffect {
	if (needsPerson.includes(code)) return { kind: 'open', code, reason: message }
	if (atFault.includes(code)) return { kind: 'none' }
	return { kind: 'count', openMs: retryAfterMs }
}
