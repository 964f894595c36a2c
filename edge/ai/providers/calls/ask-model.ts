import type { z } from 'zod'
import { SECOND } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { aiSettingsStore } from '../settings/store.ts'
import type { TextTask } from '../texts/prompt.ts'
import { callModel } from './call-model.ts'
import { type Refusal, toFailureOutcome } from './outcome.ts'

const TIMEOUT_MS = 90 * SECOND

type ModelOutcome<T> =
	| { state: 'completed'; answer: T }
	/** The model's answer does not have the requested form; a retry may succeed. */
	| { state: 'unusable'; reason: string }
	| Refusal

/** Returns whether the organization has chosen a language model. */
export const hasLanguageModel = async ({ db }: Pick<Deps, 'db'>, orgId: string): Promise<boolean> =>
	(await aiSettingsStore(db).findEngine(orgId, 'language-model')) !== undefined

/**
 * Sends a task to the organization's language model, within its limits, and returns the answer if it matches the
 * schema. The content must still be checked.
 */
export async function askModel<S extends z.ZodType>(
	deps: Deps,
	orgId: string,
	task: TextTask,
	schema: S,
): Promise<ModelOutcome<z.output<S>>> {
	const engine = await aiSettingsStore(deps.db).findEngine(orgId, 'language-model')
	if (!engine)
		return {
			state: 'skipped',
			reason: 'no language model is configured; choose one with PATCH /v1/settings/ai',
		}
	const end = await callModel(deps, engine, task, schema, { timeoutMs: TIMEOUT_MS })
	if ('refusal' in end) return end.refusal
	if ('answer' in end) return { state: 'completed', answer: end.answer }
	const { error } = end
	return error.kind === 'malformed' ? { state: 'unusable', reason: error.message } : toFailureOutcome(error)
}
