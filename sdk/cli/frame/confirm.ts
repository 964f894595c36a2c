import { INTERRUPTED, USAGE } from './exit-codes.ts'
import { CommandFailure } from './failure.ts'
import type { Terminal } from './terminal.ts'

/** Asks a person before a change that can't be undone. Where nobody can answer, `--yes` is needed. */
export async function confirmChange(
	{ isInteractive, stderr, stdin }: Terminal,
	{ yes }: { yes?: true },
	question: string,
): Promise<void> {
	if (yes) return
	if (!isInteractive) throw new CommandFailure('this needs a confirmation; add --yes', USAGE)
	const { confirm } = await import('@clack/prompts')
	const answer = await confirm({ message: question, initialValue: false, output: stderr, input: stdin })
	if (answer !== true) throw new CommandFailure('canceled; nothing was changed', INTERRUPTED)
}
