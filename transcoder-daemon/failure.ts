import { reasonOf } from './log.ts'
import { SourceError } from './tasks/task.ts'

/** Worth another try, with a reason that the owner of the video understands should all tries end like this one. */
export class TemporaryError extends Error {
	override name = 'TemporaryError'
}

export type Failure = { reason: 'permanent' | 'transient'; message: string; detail: string }

const GENERIC = 'The video could not be processed.'
const DETAIL_CHARS = 4_000

/** Only what is known to be the source's fault is final; everything else may go better elsewhere. */
export function failureOf(error: unknown): Failure {
	const detail = detailOf(error).slice(-DETAIL_CHARS)
	if (error instanceof SourceError)
		return { reason: 'permanent', message: clip(error.message), detail: error.detail ?? detail }
	const message = error instanceof TemporaryError ? clip(error.message) : GENERIC
	return { reason: 'transient', message, detail }
}

const clip = (message: string) => message.trim().slice(0, 500) || GENERIC

/** Programs' own last words are the best there is for an operator. */
function detailOf(error: unknown): string {
	const said =
		error instanceof Error && 'stderr' in error && typeof error.stderr === 'string' ? error.stderr : ''
	const cause = error instanceof Error && error.cause instanceof Error ? `\n${error.cause.message}` : ''
	return [reasonOf(error), said].filter(Boolean).join('\n') + cause
}
