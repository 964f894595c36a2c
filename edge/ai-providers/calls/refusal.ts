import { nextMonthStart } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import type { ProviderErrorCode } from '../clients/provider-error.ts'
import type { ProviderOutcome } from './outcome.ts'
import { callStore, type NewCall, type Terms } from './store.ts'

export type Refusal = Extract<ProviderOutcome, { reason: string }>

/** Returns why a call was not admitted. */
export async function findRefusal(
	{ db }: Pick<Deps, 'db'>,
	call: NewCall,
	{ isPriced, installationMaxAudioMs, ignoresBreaker }: Terms,
	now: number,
): Promise<Refusal> {
	const { budget, breaker, installation } = await callStore(db).findObstacles(call.orgId, call.provider)
	if (breaker && breaker.openUntil > now && !ignoresBreaker)
		return breaker.reason === null
			? {
					state: 'retry',
					afterMs: breaker.openUntil - now,
					reason: 'the provider fails; calls pause for a while',
				}
			: { state: 'failed', code: breaker.code as ProviderErrorCode, reason: breaker.reason }
	if (budget && budget.maxCostMicros !== null && !isPriced)
		return skipped(
			'the limit in money needs a price; set transcription.pricePerMinuteMicros under settings/ai',
		)
	const nextMonth = new Date(nextMonthStart(now)).toISOString().slice(0, 10)
	const used = installation && installation.month >= call.month ? installation.audioMs : 0
	if (installationMaxAudioMs !== null && installation && used + call.audioMs > installationMaxAudioMs)
		return skipped(
			`the installation's limit for transcription is used up; choose a provider of your own under settings/ai, or wait until ${nextMonth}`,
		)
	return budget
		? skipped(
				`the month's limit for transcription is used up; raise it under settings/ai, or wait until ${nextMonth}`,
			)
		: skipped('the organization was deleted')
}

const skipped = (reason: string): Refusal => ({ state: 'skipped', reason })
