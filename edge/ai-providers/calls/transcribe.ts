import { MINUTE, SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { callbackUrl } from '../callbacks/callback-url.ts'
import type { Audio, TranscribeOptions } from '../clients/client.ts'
import { openClient } from '../clients/open-client.ts'
import { outsideOf } from '../clients/outside.ts'
import { ProviderError } from '../clients/provider-error.ts'
import { findEngine } from './engine.ts'
import { settleFailure } from './failure.ts'
import { failureOutcome, type ProviderOutcome } from './outcome.ts'
import { completedEnd, reserveCall } from './reservation.ts'
import { callStore } from './store.ts'

/** A chunk has at most ten minutes. A queue consumer has 15 minutes for its batch. */
const TIMEOUT_MS = 5 * MINUTE
/** A call that is still open then has lost its process. */
const LOST_MS = 20 * MINUTE
/** A provider that answers later needs at least this. */
const FIRST_CHECK_MS = 2 * MINUTE

type Options = {
	language: string | null
	/** The work may be answered later; its outcome then goes to `takeTranscription` under this name. */
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
	const store = callStore(deps.db)
	try {
		const options: TranscribeOptions = { language: call.language, model }
		const client = openClient(outsideOf(deps, TIMEOUT_MS), engine)
		const address = later && client.start ? await callbackUrl(deps, call.id, provider) : null
		if (client.start && address !== null) {
			const remoteId = await client.start(audio, options, address)
			// Providers usually take half as long as the audio lasts, so this is twice the expected time.
			await store.markWaiting(call.id, remoteId, deps.clock() + Math.max(FIRST_CHECK_MS, audioMs))
			return { state: 'waiting', callId: call.id, provider }
		}
		const result = await client.transcribe(audio, options)
		const endedAt = deps.clock()
		await store.settle(call, completedEnd(call, result, endedAt - now), null, endedAt)
		return { state: 'completed', callId: call.id, provider, model, result }
	} catch (error) {
		if (!(error instanceof ProviderError)) throw error
		const endedAt = deps.clock()
		await settleFailure(deps, call, error, { ms: endedAt - now, now: endedAt })
		return failureOutcome(error)
	}
}

/** Ends open calls for an older attempt at the same work: what providers send about them is ignored from now on. */
export const supersedeCalls = (
	{ db, now }: Pick<Deps, 'db' | 'now'>,
	orgId: string,
	{ subject, epoch }: { subject: string; epoch: number },
): Promise<void> => callStore(db).supersede(orgId, subject, epoch, now)
