import { MINUTE, SECOND } from '../../../platform/clock.ts'
import type { ProviderError, ProviderErrorCode } from '../clients/provider-error.ts'
import type { TranscriptionResult } from '../clients/result.ts'

/** Failures before any work, which cost nothing. Others may be charged. */
const unchargedCodes: readonly ProviderErrorCode[] = [
	'unauthorized',
	'out_of_credit',
	'address_refused',
	'rejected',
	'not_configured',
	'rate_limited',
	'unavailable',
	'no_connection',
	'redirected',
]
export const isUncharged = ({ code, isAfterStart }: ProviderError): boolean =>
	!isAfterStart && unchargedCodes.includes(code)

/** Returns the cost of a call in millionths of a dollar; 0 if the price is unknown. */
export const computeCallCost = (audioMs: number, pricePerMinuteMicros: number | null): number =>
	Math.ceil((audioMs / MINUTE) * (pricePerMinuteMicros ?? 0))

/** The measured duration may differ slightly from the requested one. */
export const computeUsedAudioMs = ({ durationSec }: TranscriptionResult, audioMs: number): number => {
	const measured = Math.round((durationSec ?? 0) * SECOND)
	return measured > audioMs / 2 && measured < audioMs * 2 ? measured : audioMs
}
