import type { z } from 'zod'
import type { LanguageModelProvider } from '#schema/contract/ai/settings.ts'
import { MINUTE } from '../../../platform/clock.ts'
import { randomBase62 } from '../../../platform/database/ids.ts'
import type { Deps } from '../../../platform/deps.ts'
import { openOutsideAccess } from '../clients/outside.ts'
import { ProviderError } from '../clients/provider-error.ts'
import { countCall } from '../metrics.ts'
import { openKey } from '../settings/key-seal.ts'
import type { EngineRow } from '../settings/store.ts'
import { readAnswer, toJsonSchema } from '../texts/answer.ts'
import { openTextModel } from '../texts/open-text-model.ts'
import { composeRequest, type TextTask } from '../texts/prompt.ts'
import type { TextAnswer } from '../texts/text-model.ts'
import { computeSettledUsage, computeTokenCost, countTokens, estimateUsage } from '../texts/token-cost.ts'
import { NO_EFFECT } from './breaker.ts'
import { chooseModelCharge } from './engine.ts'
import { settleFailure } from './failure.ts'
import type { Refusal } from './outcome.ts'
import { reserveModelCall } from './reservation.ts'
import { callStore } from './store.ts'

/** A call still open after this has lost its process. */
const LOST_MS = 10 * MINUTE

type ModelCallOptions = {
	/** Covers the whole exchange, including retries in another dialect. */
	timeoutMs: number
	isTest?: boolean
}

type ModelCallEnd<T> = { answer: T; written: TextAnswer } | { error: ProviderError } | { refusal: Refusal }

/** Makes one language model call within the organization's limits. Records the call with its tokens and cost. */
export async function callModel<S extends z.ZodType>(
	deps: Deps,
	engine: EngineRow,
	task: TextTask,
	schema: S,
	{ timeoutMs, isTest = false }: ModelCallOptions,
): Promise<ModelCallEnd<z.output<S>>> {
	const { model, baseUrl } = engine
	const provider = engine.provider as LanguageModelProvider
	const request = composeRequest(task, toJsonSchema(schema), randomBase62(12))
	const reserved = estimateUsage(request)
	const startedAt = deps.clock()
	const terms = { checkAt: startedAt + LOST_MS, ignoresBreaker: isTest }
	const charge = chooseModelCharge(deps, engine)
	const reservation = await reserveModelCall(deps, { ...engine, ...charge }, reserved, terms)
	if ('refusal' in reservation) return reservation
	const { call } = reservation
	/** Set once the provider has answered: from then on, the call is charged, however useless the answer. */
	let written: TextAnswer | null = null
	const settle = async ({ usage }: TextAnswer, errorCode: ProviderError['code'] | null) => {
		const used = computeSettledUsage(usage, reserved)
		const endedAt = deps.clock()
		const end = {
			...{ status: errorCode === null ? ('completed' as const) : ('failed' as const), errorCode, audioMs: 0 },
			...{ tokens: countTokens(used), costMicros: computeTokenCost(used, charge), ms: endedAt - startedAt },
		}
		await callStore(deps.db).settle(call, end, isTest ? NO_EFFECT : null, endedAt)
		countCall(deps, engine, { outcome: end.status, ms: end.ms })
	}
	try {
		const key = engine.sealedKey === null ? null : await openKey(deps, engine.sealedKey, engine)
		const client = openTextModel(openOutsideAccess(deps, timeoutMs), { provider, baseUrl, model, key })
		written = await client.write(request)
		const answer = readAnswer(schema, written.text)
		await settle(written, null)
		return { answer, written }
	} catch (error) {
		if (!(error instanceof ProviderError)) throw error
		// The provider works; only this answer is unusable.
		if (written !== null) await settle(written, error.code)
		else {
			const now = deps.clock()
			await settleFailure(deps, call, error, {
				ms: now - startedAt,
				now,
				...(isTest && { effect: NO_EFFECT }),
			})
			countCall(deps, engine, { outcome: 'failed', ms: now - startedAt })
		}
		return { error }
	}
}
