import type { Command } from 'commander'
import type { Terminal } from '../../../sdk/cli/frame/terminal.ts'
import { createProgram } from '../../../sdk/cli/program.ts'

const head = `<!-- Generated from sdk/cli by npm run sdk; don't edit. -->

# Command line

\`playhouse\` is part of the package \`@playhouse/sdk\` and needs Node 20.3 or newer. Until the package is published, build
it with \`npm pack\` in \`sdk/\`, and install the resulting file with \`npm install --global\`.

\`\`\`sh
playhouse login https://video.example.com
playhouse whoami
\`\`\`

- Data goes to stdout; progress, questions and errors go to stderr. \`--json\` prints one JSON object a line.
- Colors appear in a terminal only, and not with \`NO_COLOR\`. No question is asked without a terminal or in CI: the error
  names the missing option.
- The key of each profile is in \`~/.config/playhouse/profiles\`, readable for you only; interrupted work is in
  \`~/.local/state/playhouse\`. \`XDG_CONFIG_HOME\` and \`XDG_STATE_HOME\` move them.
- Control characters in texts of others, such as titles, are printed as \`\\u001b\`.
`

/** Prints docs/cli.md: the help of every command. */
export function printCliDocument(): string {
	let written = ''
	const output = { write: (text: string) => (written += text), width: 100 }
	const program = createProgram(output as unknown as Terminal)
	const sections = listCommands(program).map((command) => {
		written = ''
		command.outputHelp()
		return `\n## ${fullName(command)}\n\n\`\`\`text\n${withoutGlobalOptions(command, written).trim()}\n\`\`\`\n`
	})
	return head + sections.join('')
}

const listCommands = (command: Command): Command[] => [
	command,
	...command
		.createHelp()
		.visibleCommands(command)
		.filter((each) => each.name() !== 'help')
		.flatMap(listCommands),
]

const fullName = (command: Command): string =>
	command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()

/** Global options are documented once, in the help of the program. */
const withoutGlobalOptions = (command: Command, help: string): string =>
	command.parent ? help.replace(/\nGlobal Options:\n(?: .*\n)+/, '') : help
