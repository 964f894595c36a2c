import type { Command } from 'commander'
import type { Invocation } from '../../frame/invocation.ts'

export function run({ args: [words], terminal, command }: Invocation<object, [string[]]>): void {
	// The last word is the one that is being typed. PowerShell 5 omits empty words, so its script sends quotes.
	const typed = words.map((word) => (word === '""' ? '' : word))
	for (const word of completeWords(command.parent as Command, typed)) terminal.print(word)
}

/** Returns the commands or options that can stand in place of the last word. */
export function completeWords(program: Command, words: readonly string[]): string[] {
	const last = words.at(-1) ?? ''
	let command = program
	for (const word of words.slice(0, -1))
		command = command.commands.find((each) => each.name() === word) ?? command
	const candidates = last.startsWith('-')
		? [command, program].flatMap((each) => each.options.map(({ long }) => long ?? '')).concat('--help')
		: command
				.createHelp()
				.visibleCommands(command)
				.map((each) => each.name())
	return [...new Set(candidates)].filter((word) => word.startsWith(last))
}
