import type { TranscriptionProvider } from '#schema/contract/platform/settings/ai.ts'
import { MINUTE, monthOf, nextMonthStart, SECOND } from '../../platform/clock.ts'
import { newId } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Audio } from '../clients/client.ts'
import { type OpenConfig, openClient } from '../clients/open-client.ts'
import { ProviderError, type ProviderErrorCode } from '../clients/provider-error.ts'
import type { TranscriptionResult } from '../clients/result.ts'
import { openKey } from '../settings/key-seal.ts'
import { outsideOf } from '../settings/outside.ts'
import { aiSettingsStore } from '../settings/store.ts'
import { circuitEffect, costOf, isUncharged } from './circuit.ts'
import { callStore, type NewCall, type Reserved } from './store.ts'

/** A chunk has at most ten minutes. A queue consumer has 15 minutes for its batch. */
const TIMEOUT_MS = 5 * MINUTE
/** A call that ended neither way was interrupted with its process. */
const LOST_MS = 20 * MINUTE
const RETRY_MS = MINUTE

type ProviderOutcome =
	| {
			state: 'completed'
			callId: string
			provider: TranscriptionProvider
			model: string | null
			result: TranscriptionResult
	  }
	/** Not now: the provider fails, or must not be asked at the moment. */
	| { state: 'retry'; afterMs: number; reason: string }
	/** Repeating the call is useless until somebody changes the settings, the account or the audio. */
	| { state: 'failed'; code: ProviderErrorCode; reason: string }
	/** No call was made: there is no provider, or the month's limit is used up. */
	| { state: 'skipped'; reason: string }

type Engine = OpenConfig & {
	model: string | null
	language: string | null
	pricePerMinuteMicros: number | null
}

/** Transcribes audio with the provider of an organization, within its limits. The call and its cost are recorded. */
export async function transcribeWithProvider(
	deps: Deps,
	orgId: string,
	{ durationSec, ...audio }: Audio & { durationSec: number },
	{ language }: { language: string | null },
): Promise<ProviderOutcome> {
	const engine = await findEngine(deps, orgId)
	if (!engine)
		return { state: 'skipped', reason: 'no provider for transcription is set; choose one under settings/ai' }
	const { provider, model } = engine
	const now = deps.clock()
	const audioMs = Math.round(durationSec * SECOND)
	const call: NewCall = {
		...{ id: newId('aic', now), orgId, provider, model, audioMs, month: monthOf(now) },
		costMicros: costOf(audioMs, engine.pricePerMinuteMicros),
		language: language ?? engine.language,
		checkAt: now + LOST_MS,
	}
	const store = callStore(deps.db)
	if (!(await store.reserve(call, now))) return explainRefusal(deps, call, now)
	try {
		const options = { language: call.language, model }
		const result = await openClient(outsideOf(deps, TIMEOUT_MS), engine).transcribe(audio, options)
		const usedMs = usedAudioMs(result, audioMs)
		await store.settle(
			call,
			{
				...{ status: 'completed', errorCode: null, audioMs: usedMs, ms: deps.clock() - now },
				costMicros: costOf(usedMs, engine.pricePerMinuteMicros),
			},
			null,
			deps.clock(),
		)
		return { state: 'completed', callId: call.id, provider, model, result }
	} catch (error) {
		if (!(error instanceof ProviderError)) throw error
		return settleFailure(deps, call, error, now)
	}
}

/** Returns the provider of the organization, else the installation's. */
async function findEngine(deps: Deps, orgId: string): Promise<Engine | null> {
	const row = await aiSettingsStore(deps.db).findEngine(orgId, 'transcription')
	if (row)
		return {
			...row,
			provider: row.provider as TranscriptionProvider,
			key: row.sealedKey === null ? null : await openKey(deps, row.sealedKey, row),
		}
	if (!deps.env.bindings.AI) return null
	return {
		...{ provider: 'workers-ai', baseUrl: null, key: null },
		...{ model: null, language: null, pricePerMinuteMicros: null },
	}
}

/** What a provider measured may differ from what was asked, but not by much. */
const usedAudioMs = ({ durationSec }: TranscriptionResult, audioMs: number): number => {
	const measured = Math.round((durationSec ?? 0) * SECOND)
	return measured > audioMs / 2 && measured < audioMs * 2 ? measured : audioMs
}

async function settleFailure(
	deps: Deps,
	call: Reserved,
	error: ProviderError,
	startedAt: number,
): Promise<ProviderOutcome> {
	const { code, kind, message, retryAfterMs } = error
	const { audioMs, costMicros } = isUncharged(code) ? { audioMs: 0, costMicros: 0 } : call
	const now = deps.clock()
	const end = { status: 'failed' as const, errorCode: code, audioMs, costMicros, ms: now - startedAt }
	await callStore(deps.db).settle(call, end, circuitEffect(error), now)
	return kind === 'final'
		? { state: 'failed', code, reason: message }
		: { state: 'retry', afterMs: retryAfterMs ?? RETRY_MS, reason: message }
}

async function explainRefusal(deps: Deps, call: NewCall, now: number): Promise<ProviderOutcome> {
	const { budget, circuit } = await callStore(deps.db).findObstacles(call.orgId, call.provider)
	if (circuit && circuit.openUntil > now)
		return circuit.reason === null
			? {
					state: 'retry',
					afterMs: circuit.openUntil - now,
					reason: 'the provider fails; calls pause for a while',
				}
			: { state: 'failed', code: 'unauthorized', reason: circuit.reason }
	if (budget)
		return {
			state: 'skipped',
			reason: `the month's limit for transcription is used up; raise it under settings/ai, or wait until ${new Date(nextMonthStart(now)).toISOString().slice(0, 10)}`,
		}
	return { state: 'skipped', reason: 'the organization was deleted' }
}
