import type { AiTest, TranscriptionProvider } from '#schema/contract/ai/settings.ts'
import { MINUTE, SECOND } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { fromBase64 } from '../../../platform/tokens/digest.ts'
import { NO_EFFECT } from '../calls/breaker.ts'
import { chooseTranscriptionCharge } from '../calls/engine.ts'
import { settleFailure } from '../calls/failure.ts'
import { reserveCall, toCompletedEnd } from '../calls/reservation.ts'
import { callStore } from '../calls/store.ts'
import { openClient } from '../clients/open-client.ts'
import { openOutsideAccess } from '../clients/outside.ts'
import { ProviderError } from '../clients/provider-error.ts'
import type { TranscriptionResult } from '../clients/result.ts'
import { SUPPORTS_NOTHING, toFailedTest } from './failed-test.ts'
import { openKey } from './key-seal.ts'
import type { EngineRow } from './store.ts'
import { TEST_SPEECH_BASE64, TEST_SPEECH_MS } from './test-speech.ts'

/** The whole exchange, of which AssemblyAI makes several requests. */
const TIMEOUT_MS = 20 * SECOND

/** Transcribes the test speech. */
export async function testTranscription(deps: Deps, engine: EngineRow): Promise<AiTest> {
	const work = { audioMs: TEST_SPEECH_MS, language: engine.language, checkAt: deps.clock() + MINUTE }
	const provider = engine.provider as TranscriptionProvider
	const charged = { ...engine, provider, ...chooseTranscriptionCharge(deps, engine) }
	const reserved = await reserveCall(deps, engine.orgId, charged, work, { ignoresBreaker: true })
	if ('refusal' in reserved) return toFailedTest(reserved.refusal.reason, 0)
	const { call } = reserved
	const startedAt = deps.clock()
	const latencyMs = () => Math.max(0, Math.round(deps.clock() - startedAt))
	try {
		const key = engine.sealedKey === null ? null : await openKey(deps, engine.sealedKey, engine)
		const client = openClient(openOutsideAccess(deps, TIMEOUT_MS), { provider, baseUrl: engine.baseUrl, key })
		const audio = { bytes: fromBase64(TEST_SPEECH_BASE64), contentType: 'audio/mpeg' }
		const { language, model } = engine
		const result = await client.transcribe(audio, { language, model })
		await callStore(deps.db).settle(call, toCompletedEnd(call, result, latencyMs()), NO_EFFECT, deps.clock())
		return { ...viewResult(result), latencyMs: latencyMs() }
	} catch (error) {
		if (!(error instanceof ProviderError)) throw error
		await settleFailure(deps, call, error, { ms: latencyMs(), now: deps.clock(), effect: NO_EFFECT })
		return toFailedTest(error.message, latencyMs())
	}
}

const MAX_TEXT = 500

function viewResult({ segments, language, supports }: TranscriptionResult): Omit<AiTest, 'latencyMs'> {
	const text = segments
		.map((segment) => segment.text)
		.join(' ')
		.slice(0, MAX_TEXT)
	const problem = text === '' ? 'the provider understood nothing of a spoken sentence' : null
	return { ok: problem === null, text, language, supports: { ...SUPPORTS_NOTHING, ...supports }, problem }
}
