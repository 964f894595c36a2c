import {
	AuthenticationError,
	CanceledError,
	ConnectionError,
	NotFoundError,
	PlayhouseError,
	UnreadableSourceError,
} from '../../src/errors.ts'
import { choosePauseMs } from '../../src/retry.ts'
import { FAILED, INTERRUPTED, NOT_FOUND, NOT_SIGNED_IN, TRY_LATER, USAGE } from './exit-codes.ts'

/** An error of a command, with its exit code. */
export class CommandFailure extends Error {
	readonly exitCode: number

	constructor(message: string, exitCode: number = FAILED) {
		super(message)
		this.exitCode = exitCode
	}
}

export type Failure = { message: string; exitCode: number }

/** What the operating system reports about files, in words. */
const fileProblems: Readonly<Record<string, string>> = {
	ENOENT: 'does not exist; check the path',
	EACCES: 'is not readable or writable for you; change its rights',
	EPERM: 'is not readable or writable for you; change its rights',
	EISDIR: 'is a folder; name a file',
	ENOTDIR: 'is below a file; check the path',
	ENOSPC: "can't be written, because the disk is full; free some space",
	EROFS: "can't be written, because the disk is read-only; choose another folder",
}

/** Returns the sentence and the exit code for an error of any command. */
export function describeFailure(error: unknown): Failure {
	if (error instanceof CommandFailure) return error
	if (error instanceof UnreadableSourceError)
		return {
			message: error.message.replace(
				'upload the file again, without its state',
				'run the same command again',
			),
			exitCode: FAILED,
		}
	if (error instanceof PlayhouseError) {
		const id = error.requestId ? ` (request ${error.requestId})` : ''
		return { message: `${error.message}${id}`, exitCode: chooseExitCode(error) }
	}
	// The SDK throws a TypeError for an argument that it can't send.
	if (error instanceof TypeError)
		return {
			message: error.message.replace('set allowInsecureHttp', 'add --allow-insecure-http'),
			exitCode: USAGE,
		}
	// A write to an open file fails without a path.
	const { code = '', path = 'the file' } = error as NodeJS.ErrnoException
	if (fileProblems[code]) return { message: `${path} ${fileProblems[code]}`, exitCode: FAILED }
	return { message: error instanceof Error ? error.message : String(error), exitCode: FAILED }
}

function chooseExitCode(error: PlayhouseError): number {
	if (error instanceof CanceledError) return INTERRUPTED
	if (error instanceof AuthenticationError) return NOT_SIGNED_IN
	if (error instanceof NotFoundError) return NOT_FOUND
	const isRetryable =
		error instanceof ConnectionError || error.status === 429 || choosePauseMs(error, 1, 1) !== undefined
	return isRetryable ? TRY_LATER : FAILED
}
