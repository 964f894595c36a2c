import { z } from 'zod'
import type { AiTest } from '#schema/contract/ai/settings.ts'
import { SECOND } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { callModel } from '../calls/call-model.ts'
import { SUPPORTS_NOTHING, toFailedTest } from './failed-test.ts'
import type { EngineRow } from './store.ts'

const Words = z.object({ words: z.array(z.object({ number: z.number(), text: z.string() })) })
const TIMEOUT_MS = 20 * SECOND
const MAX_TEXT = 500
const TASK =
	'Translate each of the texts into French. Answer with the number of each text and its translation, all of them once.'

/** Lets a language model translate two words, as subtitles are translated. */
export async function testModel(deps: Deps, engine: EngineRow): Promise<AiTest> {
	const startedAt = deps.clock()
	const task = { task: TASK, lines: ['bread', 'water'], maxTokens: 1_000 }
	const end = await callModel(deps, engine, task, Words, { timeoutMs: TIMEOUT_MS, isTest: true })
	const latencyMs = Math.max(0, Math.round(deps.clock() - startedAt))
	if ('refusal' in end) return toFailedTest(end.refusal.reason, 0)
	if ('error' in end) return toFailedTest(end.error.message, latencyMs)
	const { answer, written } = end
	const numbers = answer.words.map(({ number }) => number)
	const isWhole = numbers.length === 2 && numbers.includes(1) && numbers.includes(2)
	return {
		...{ ok: isWhole, latencyMs, text: written.text.slice(0, MAX_TEXT), language: null },
		supports: { ...SUPPORTS_NOTHING, numbers: isWhole, usage: written.usage !== null },
		problem: isWhole
			? null
			: 'the model did not answer each of two numbered texts once; choose a larger model',
	}
}
