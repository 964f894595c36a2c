import type { Deps } from '../../../platform/deps.ts'
import type { ProviderError } from '../clients/provider-error.ts'
import { type BreakerEffect, chooseBreakerEffect } from './breaker.ts'
import { isUncharged } from './cost.ts'
import { callStore, type Reserved } from './store.ts'

/** Ends a call that failed after `ms`. Releases what the provider does not charge. */
export async function settleFailure(
	{ db }: Pick<Deps, 'db'>,
	call: Reserved,
	error: ProviderError,
	{ ms, now, effect = chooseBreakerEffect(error) }: { ms: number; now: number; effect?: BreakerEffect },
): Promise<void> {
	const nothing = { audioMs: 0, costMicros: 0, tokens: 0 }
	const { audioMs, costMicros, tokens = 0 } = isUncharged(error) ? nothing : call
	const end = { status: 'failed' as const, errorCode: error.code, audioMs, costMicros, tokens, ms }
	await callStore(db).settle(call, end, effect, now)
}
