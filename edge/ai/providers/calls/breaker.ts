import { HOUR, MINUTE } from '../../../platform/clock.ts'
import type { ProviderError, ProviderErrorCode } from '../clients/provider-error.ts'

/** The breaker opens after so many failures in a row. */
export const MAX_FAILURES = 5
export const FIRST_OPEN_MS = MINUTE
export const MAX_OPEN_MS = HOUR
/** How long the one call of a half-open breaker may take before another one is made. */
export const PROBE_MS = 10 * MINUTE

/** The language model of a provider fails apart from its transcription, often at another address. */
export const breakerName = (
	provider: string,
	purpose: 'transcription' | 'language-model' = 'transcription',
): string => (purpose === 'language-model' ? `${provider}/${purpose}` : provider)

/** What a failure does to the breaker of a provider. */
export type BreakerEffect =
	/** The call is at fault, and not the provider. */
	| { kind: 'none' }
	| { kind: 'count'; openMs: number | null }
	/** Every further call would fail too, until a person does something. */
	| { kind: 'open'; code: ProviderErrorCode; reason: string }

/** For a test: what is tested may not be stored, so it opens or closes no breaker. */
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
