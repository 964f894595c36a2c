import { receiveAiCallback } from '#schema/contract/ai/callback.ts'
import { MINUTE, SECOND } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { makeCapability } from '../callbacks/call-secret.ts'
import type { Audio, TranscribeOptions } from '../clients/client.ts'
import { openClient } from '../clients/open-client.ts'
import { openOutsideAccess } from '../clients/outside.ts'
import { ProviderError } from '../clients/provider-error.ts'
import { findEngine } from './engine.ts'
import { finishWithError, finishWithResult } from './finish.ts'
import { type ProviderOutcome, toFailureOutcome } from './outcome.ts'
import { reserveCall } from './reservation.ts'
import { callStore } from './store.ts'

/** Returns the callback URL for a provider that can't sign; null if the installation has no public address. */
async function callbackUrl(
	{ env, secrets, now }: Pick<Deps, 'env' | 'secrets' | 'now'>,
	callId: string,
	provider: string,
): Promise<string | null> {
	const base = env.vars.PUBLIC_URL
	if (!base || !secrets) return null
	const query = new URLSearchParams({
		call: callId,
		cap: await makeCapability(secrets, callId, provider, now),
	})
	return `${base}${receiveAiCallback.path}?${query}`
}

/** A chunk has at most ten minutes of audio; a queue consumer has 15 minutes for its batch. */
const TIMEOUT_MS = 5 * MINUTE
/** A call still open after this has lost its process. */
const LOST_MS = 20 * MINUTE
/** The minimum delay before polling an asynchronous provider. */
const FIRST_CHECK_MS = 2 * MINUTE

type Options = {
	language: string | null
	/**
	 * Identifies the work. `recordTranscription` receives the outcome before the call is settled, so a paid result
	 * survives a crash at any point.
	 */
	later?: { subject: string; epoch: number }
}

/** Transcribes audio with the provider of an organization, within its limits. The call and its cost are recorded. */
export async function transcribeWithProvider(
	deps: Deps,
	orgId: string,
	{ durationSec, ...audio }: Audio & { durationSec: number },
	{ language, later }: Options,
): Promise<ProviderOutcome> {
	const engine = await findEngine(deps, orgId)
	if (!engine)
		return { state: 'skipped', reason: 'no provider for transcription is set; choose one under settings/ai' }
	const { provider, model } = engine
	const now = deps.clock()
	const audioMs = Math.round(durationSec * SECOND)
	const work = { audioMs, language: language ?? engine.language, checkAt: now + LOST_MS, ...later }
	const reserved = await reserveCall(deps, orgId, engine, work)
	if ('refusal' in reserved) return reserved.refusal
	const { call } = reserved
	// Kept even if another process ends the call after a callback.
	const waiting: ProviderOutcome = { state: 'waiting', callId: call.id, provider }
	try {
		const options: TranscribeOptions = { language: call.language, model }
		const client = openClient(openOutsideAccess(deps, TIMEOUT_MS), engine)
		const address = later && client.start ? await callbackUrl(deps, call.id, provider) : null
		if (client.start && address !== null) {
			const remoteId = await client.start(audio, options, address)
			// Twice the expected time: providers usually take half the audio's duration.
			await callStore(deps.db).markWaiting(
				call.id,
				remoteId,
				deps.clock() + Math.max(FIRST_CHECK_MS, audioMs),
			)
			return waiting
		}
		const result = await client.transcribe(audio, options)
		const isEnded = await finishWithResult(deps, call, result)
		return isEnded ? { state: 'completed', callId: call.id, provider, model, result } : waiting
	} catch (error) {
		if (!(error instanceof ProviderError)) throw error
		return (await finishWithError(deps, call, error)) ? toFailureOutcome(error) : waiting
	}
}

/** Ends open calls of an older attempt at the same work; later callbacks for them are ignored. */
export const supersedeCalls = (
	{ db, now }: Pick<Deps, 'db' | 'now'>,
	orgId: string,
	{ subject, epoch }: { subject: string; epoch: number },
): Promise<void> => callStore(db).supersede(orgId, subject, epoch, now)
