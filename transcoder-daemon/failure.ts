import { reasonOf } from './log.ts'
import { SourceError } from './tasks/task.ts'

/** Worth another try, with a reason that the owner of the video understands should all tries end like this one. */
export class TemporaryError extends Error {
	override name = 'TemporaryError'
}

/** This machine's disk is full. Another one may have room, and this one should not try its luck at task after task. */
export class NoRoomError extends TemporaryError {
	override name = 'NoRoomError'
	constructor(options?: ErrorOptions) {
		super('A machine had no room for the video; another one is tried.', options)
	}
}

export type Failure = { reason: 'permanent' | 'transient'; message: string; detail: string }

const GENERIC = 'The video could not be processed.'
const DETAIL_CHARS = 4_000

/** Wherever it was noticed: by a call of ours, in what one was caused by, or in the last words of a program. */
export function isNoRoom(error: unknown): boolean {
	if (error instanceof NoRoomError) return true
	if (!(error instanceof Error)) return false
	const { code, stderr, cause } = error as { code?: unknown; stderr?: unknown; cause?: unknown }
	if (code === 'ENOSPC' || code === 'EDQUOT') return true
	return (typeof stderr === 'string' && /No space left on device/.test(stderr)) || isNoRoom(cause)
}

/** Only what is known to be the source's fault is final; everything else may go better elsewhere. */
export function failureOf(error: unknown): Failure {
	const detail = detailOf(error).slice(-DETAIL_CHARS)
	if (error instanceof SourceError)
		return { reason: 'permanent', message: clip(error.message), detail: error.detail ?? detail }
	if (!(error instanceof TemporaryError) && isNoRoom(error))
		return { reason: 'transient', message: new NoRoomError().message, detail }
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
