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

/** Returns the address for a provider that cannot sign; null if this installation has no public address. */
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

/** A chunk has at most ten minutes. A queue consumer has 15 minutes for its batch. */
const TIMEOUT_MS = 5 * MINUTE
/** A call that is still open then has lost its process. */
const LOST_MS = 20 * MINUTE
/** A provider that answers later needs at least this. */
const FIRST_CHECK_MS = 2 * MINUTE

type Options = {
	language: string | null
	/**
	 * The name of the work. The outcome of the call goes to `takeTranscription` before the call is settled, at once or when
	 * the provider calls back. So what was paid is stored, wherever the process dies.
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
	// Also if another process ends the call, because the provider called back.
	const waiting: ProviderOutcome = { state: 'waiting', callId: call.id, provider }
	try {
		const options: TranscribeOptions = { language: call.language, model }
		const client = openClient(openOutsideAccess(deps, TIMEOUT_MS), engine)
		const address = later && client.start ? await callbackUrl(deps, call.id, provider) : null
		if (client.start && address !== null) {
			const remoteId = await client.start(audio, options, address)
			// Providers usually take half as long as the audio lasts, so this is twice the expected time.
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

/** Ends open calls for an older attempt at the same work: what providers send about them is ignored from now on. */
export const supersedeCalls = (
	{ db, now }: Pick<Deps, 'db' | 'now'>,
	orgId: string,
	{ subject, epoch }: { subject: string; epoch: number },
): Promise<void> => callStore(db).supersede(orgId, subject, epoch, now)
