import type { Command } from 'commander'
import type { Terminal } from './terminal.ts'

export type GlobalOptions = { profile?: string; url?: string; json?: true; allowInsecureHttp?: true }

/** One call of a command: its arguments and options, checked by commander. */
export type Invocation<Options = object, Args extends readonly unknown[] = readonly unknown[]> = {
	args: Args
	options: Options & GlobalOptions
	terminal: Terminal
	command: Command
}

type Module<Options, Args extends readonly unknown[]> = {
	run(invocation: Invocation<Options, Args>): void | Promise<void>
}

/** Returns an action that loads its module when the command runs, so that other commands start fast. */
export const runLazily =
	<Options, Args extends readonly unknown[]>(
		terminal: Terminal,
		load: () => Promise<Module<Options, Args>>,
	) =>
	async (...given: unknown[]): Promise<void> => {
		const command = given.at(-1) as Command
		const { run } = await load()
		const options = command.optsWithGlobals() as Options & GlobalOptions
		await run({ args: command.processedArgs as unknown as Args, options, terminal, command })
	}
