import type {
	AiTest,
	TranscriptionChange,
	TranscriptionProvider,
} from '#schema/contract/platform/settings/ai.ts'
import { attemptCounter } from '../../attempts/attempt-counter.ts'
import { AppError } from '../../http/errors.ts'
import { requireSecrets } from '../../http/require-secrets.ts'
import { MINUTE, SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { fromBase64 } from '../../platform/tokens/digest.ts'
import { chargeOf } from '../calls/engine.ts'
import { settleFailure } from '../calls/failure.ts'
import { completedEnd, reserveCall } from '../calls/reservation.ts'
import { callStore } from '../calls/store.ts'
import { openClient } from '../clients/open-client.ts'
import { outsideOf } from '../clients/outside.ts'
import { ProviderError } from '../clients/provider-error.ts'
import type { TranscriptionResult } from '../clients/result.ts'
import { engineAfter } from './ai-settings.ts'
import { openKey } from './key-seal.ts'
import { aiSettingsStore } from './store.ts'
import { TEST_SPEECH_BASE64, TEST_SPEECH_MS } from './test-speech.ts'

const rule = { name: 'ai-test', limit: 5, windowMs: MINUTE }
/** The whole exchange, of which AssemblyAI makes several requests. */
const TIMEOUT_MS = 20 * SECOND
/** What is tested may not be stored, so a test opens or closes no breaker. */
const NO_EFFECT = { kind: 'none' } as const
const NOTHING = { text: null, language: null, supports: { segments: false, words: false } }

/** Transcribes the test speech with the stored settings, changed as asked. It is counted as use. */
export async function testProvider(
	deps: Deps,
	orgId: string,
	change: TranscriptionChange = {},
): Promise<AiTest> {
	const secrets = requireSecrets(deps, 'AI providers are')
	const saved = await aiSettingsStore(deps.db).findEngine(orgId, 'transcription')
	if (!saved && change.provider === undefined)
		throw new AppError('conflict', 'no provider for transcription is set; send one to test it')
	await attemptCounter(deps.db, secrets, deps.now).count([{ rule, subject: orgId }])
	const engine = await engineAfter(deps, orgId, 'transcription', saved, change)
	const work = { audioMs: TEST_SPEECH_MS, language: engine.language, checkAt: deps.clock() + MINUTE }
	const provider = engine.provider as TranscriptionProvider
	const charged = { ...engine, provider, ...chargeOf(deps, engine) }
	const reserved = await reserveCall(deps, orgId, charged, work, { ignoresBreaker: true })
	if ('refusal' in reserved) return { ok: false, latencyMs: 0, ...NOTHING, problem: reserved.refusal.reason }
	const { call } = reserved
	const startedAt = deps.clock()
	const latencyMs = () => Math.max(0, Math.round(deps.clock() - startedAt))
	try {
		const key = engine.sealedKey === null ? null : await openKey(deps, engine.sealedKey, engine)
		const client = openClient(outsideOf(deps, TIMEOUT_MS), { provider, baseUrl: engine.baseUrl, key })
		const audio = { bytes: fromBase64(TEST_SPEECH_BASE64), contentType: 'audio/mpeg' }
		const { language, model } = engine
		const result = await client.transcribe(audio, { language, model })
		await callStore(deps.db).settle(call, completedEnd(call, result, latencyMs()), NO_EFFECT, deps.clock())
		return { ...viewResult(result), latencyMs: latencyMs() }
	} catch (error) {
		if (!(error instanceof ProviderError)) throw error
		await settleFailure(deps, call, error, { ms: latencyMs(), now: deps.clock(), effect: NO_EFFECT })
		return { ok: false, latencyMs: latencyMs(), ...NOTHING, problem: error.message }
	}
}

const MAX_TEXT = 500

function viewResult({ segments, language, supports }: TranscriptionResult): Omit<AiTest, 'latencyMs'> {
	const text = segments
		.map((segment) => segment.text)
		.join(' ')
		.slice(0, MAX_TEXT)
	const problem = text === '' ? 'the provider understood nothing of a spoken sentence' : null
	return { ok: problem === null, text, language, supports, problem }
}
