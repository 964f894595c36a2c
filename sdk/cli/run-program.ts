import { CommanderError } from 'commander'
import { INTERRUPTED, USAGE } from './frame/exit-codes.ts'
import { CommandFailure, describeFailure } from './frame/failure.ts'
import type { Terminal } from './frame/terminal.ts'
import { createProgram } from './program.ts'

/** Runs one command line, and returns the exit code. */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
	try {
		await createProgram(terminal).parseAsync(args, { from: 'user' })
		return terminal.isInterrupted ? INTERRUPTED : terminal.exitCode
	} catch (error) {
		if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE
		// Streams that an interruption ends report it in their own words.
		if (terminal.isInterrupted && !(error instanceof CommandFailure)) {
			terminal.talk('playhouse: interrupted; run the same command again')
			return INTERRUPTED
		}
		const { message, exitCode } = describeFailure(error)
		terminal.talk(`playhouse: ${message}`)
		return exitCode
	}
}
