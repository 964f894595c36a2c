import { HOUR, MINUTE } from '../../platform/clock.ts'
import type { ProviderError, ProviderErrorCode } from '../clients/provider-error.ts'

/** The circuit opens after so many failures in a row. */
export const MAX_FAILURES = 5
export const FIRST_OPEN_MS = MINUTE
export const MAX_OPEN_MS = HOUR
/** How long the one call of a half-open circuit may take before another one is made. */
export const PROBE_MS = 10 * MINUTE

/** What a failure does to the circuit of a provider. */
export type CircuitEffect =
	/** The call is at fault, and not the provider. */
	| { kind: 'none' }
	| { kind: 'count'; openMs: number | null }
	/** Every further call would fail too, until a person does something. */
	| { kind: 'open'; reason: string }

const needsPerson: readonly ProviderErrorCode[] = ['unauthorized', 'out_of_credit', 'address_refused']
const atFault: readonly ProviderErrorCode[] = ['rejected', 'no_times', 'not_configured']

export function circuitEffect({ code, message, retryAfterMs }: ProviderError): CircuitEffect {
	if (needsPerson.includes(code)) return { kind: 'open', reason: message }
	if (atFault.includes(code)) return { kind: 'none' }
	return { kind: 'count', openMs: retryAfterMs }
}
