import { describeReason } from '../log.ts'
import { SourceError } from '../tasks/task.ts'

/** Worth a retry. The message is for the video's owner, in case every attempt fails this way. */
export class TemporaryError extends Error {
	override name = 'TemporaryError'
}

/** This machine's disk is full. Another machine may have space; this one should claim no more tasks for now. */
export class DiskFullError extends TemporaryError {
	override name = 'DiskFullError'
	constructor(options?: ErrorOptions) {
		super('a machine had no disk space for the video; another one will try', options)
	}
}

export type Failure = { reason: 'permanent' | 'transient'; message: string; detail: string }

const GENERIC = 'the video could not be processed'
const DETAIL_CHARS = 4_000

/** Whether the disk is full, according to our own call, the cause of an error, or a program's stderr. */
export function isDiskFull(error: unknown): boolean {
	if (error instanceof DiskFullError) return true
	if (!(error instanceof Error)) return false
	const { code, stderr, cause } = error as { code?: unknown; stderr?: unknown; cause?: unknown }
	if (code === 'ENOSPC' || code === 'EDQUOT') return true
	return (typeof stderr === 'string' && /No space left on device/.test(stderr)) || isDiskFull(cause)
}

/** Classifies an error: only a proven fault of the source is permanent; everything else may succeed elsewhere. */
export function classifyFailure(error: unknown): Failure {
	const detail = detailOf(error).slice(-DETAIL_CHARS)
	if (error instanceof SourceError)
		return { reason: 'permanent', message: clip(error.message), detail: error.detail ?? detail }
	if (!(error instanceof TemporaryError) && isDiskFull(error))
		return { reason: 'transient', message: new DiskFullError().message, detail }
	const message = error instanceof TemporaryError ? clip(error.message) : GENERIC
	return { reason: 'transient', message, detail }
}

const clip = (message: string) => message.trim().slice(0, 500) || GENERIC

/** Includes stderr, which helps an operator most. */
function detailOf(error: unknown): string {
	const stderr =
		error instanceof Error && 'stderr' in error && typeof error.stderr === 'string' ? error.stderr : ''
	const cause = error instanceof Error && error.cause instanceof Error ? `\n${error.cause.message}` : ''
	return [describeReason(error), stderr].filter(Boolean).join('\n') + cause
}
