import { MINUTE, startOfNextMonth } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { ProviderErrorCode } from '../clients/provider-error.ts'
import type { BudgetRow } from '../settings/store.ts'
import type { Refusal } from './outcome.ts'
import { callStore, type NewCall, type ReservedSums, type Terms } from './store.ts'

type Limits = Pick<BudgetRow, 'maxAudioMs' | 'maxCostMicros' | 'maxTokens'>
const NO_LIMITS: Limits = { maxAudioMs: null, maxCostMicros: null, maxTokens: null }

/**
 * Returns why a call was rejected. Language models use far less than they reserve, so a limit reached only by
 * reservations may have room later.
 */
export async function findRefusal(
	{ db }: Pick<Deps, 'db'>,
	call: NewCall,
	{ isPriced, installation: limits, ignoresBreaker }: Terms,
): Promise<Refusal> {
	const { budget, breaker, installation, hasOrg, reserved } = await callStore(db).findObstacles(call)
	const now = call.createdAt
	const isSpeech = call.purpose !== 'language-model'
	if (breaker && breaker.openUntil > now && !ignoresBreaker)
		return breaker.reason === null
			? {
					...{ state: 'retry', code: null },
					afterMs: breaker.openUntil - now,
					reason: 'the provider fails; calls pause for a while',
				}
			: { state: 'failed', code: breaker.code as ProviderErrorCode, reason: breaker.reason }
	if (!hasOrg) return skipped('the organization was deleted')
	const isPaidByInstallation = call.payer === 'installation'
	const needsPrice = (max: number | null | undefined) => typeof max === 'number' && !isPriced
	if (needsPrice(budget?.maxCostMicros) || (isPaidByInstallation && needsPrice(limits.maxCostMicros)))
		return skipped(
			isSpeech
				? 'the limit in money needs a price; set transcription.provider and pricePerMinuteMicros under settings/ai'
				: 'the limit in money needs prices; set languageModel.inputPriceMicros and languageModel.outputPriceMicros under settings/ai',
		)
	const nextMonth = new Date(startOfNextMonth(now)).toISOString().slice(0, 10)
	const work = isSpeech ? 'transcription' : 'language models'
	const orgShare = { ...NO_LIMITS, maxTokens: limits.maxTokensPerOrg }
	const choose = `choose a provider of your own under settings/ai, or wait until ${nextMonth}`
	if (isPaidByInstallation && exceeds(installation, limits, call, reserved.byAll))
		return skipped(`the installation's limit for ${work} is used up; ${choose}`)
	if (isPaidByInstallation && exceeds(budget, orgShare, call, reserved.byOrg))
		return skipped(`the organization's share of the installation's limit for ${work} is used up; ${choose}`)
	if (isSpeech || exceeds(budget, budget ?? NO_LIMITS, call, reserved.byOrg))
		return skipped(
			`the month's limit for ${work} is used up; raise it under settings/ai, or wait until ${nextMonth}`,
		)
	return {
		...{ state: 'retry', code: null, afterMs: MINUTE },
		reason: 'other calls hold what is left of the limit; each gives back what it does not use',
	}
}

function exceeds(
	used: BudgetRow | undefined,
	{ maxAudioMs, maxCostMicros, maxTokens }: Limits,
	{ month, audioMs, costMicros, tokens = 0 }: NewCall,
	reserved: ReservedSums,
): boolean {
	const sums = used && used.month >= month ? used : { audioMs: 0, costMicros: 0, tokens: 0 }
	const isBeyond = (sum: number, max: number | null) => sum > (max ?? Number.POSITIVE_INFINITY)
	return (
		isBeyond(sums.audioMs + audioMs, maxAudioMs) ||
		isBeyond(sums.costMicros - reserved.costMicros + costMicros, maxCostMicros) ||
		isBeyond(sums.tokens - reserved.tokens + tokens, maxTokens)
	)
}

const skipped = (reason: string): Refusal => ({ state: 'skipped', reason })
