import type { AiTest } from '#schema/contract/ai/settings.ts'

export const SUPPORTS_NOTHING = { segments: false, words: false, numbers: false, usage: false }

export const toFailedTest = (problem: string, latencyMs: number): AiTest => ({
	...{ ok: false, latencyMs, text: null, language: null, problem },
	supports: SUPPORTS_NOTHING,
})
