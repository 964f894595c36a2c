import type { Command } from 'commander'
import { runLazily } from '../frame/invocation.ts'
import { collect } from '../frame/option-values.ts'
import type { Terminal } from '../frame/terminal.ts'

export function addToolCommands(program: Command, terminal: Terminal): void {
	program
		.command('api')
		.description('Call any operation of the API, and print the response')
		.argument('<method>', 'GET, POST, PUT, PATCH or DELETE')
		.argument('<path>', 'the path, such as /v1/assets')
		.option('-f, --field <key=value>', 'add a text to the query of a GET, else to the JSON body', collect)
		.option('-F, --json-field <key=json>', 'add a JSON value, such as a number or a list', collect)
		.option('--input <file>', 'send this file as the body; - is stdin')
		.option('--paginate', 'print the items of all pages, one JSON object a line')
		.addHelpText(
			'after',
			`
Examples:
  playhouse api GET /v1/assets -f status=ready --paginate
  playhouse api POST /v1/assets -f title=Film
  playhouse api PUT /v1/settings/allowed-origins -F 'origins=["https://example.com"]'`,
		)
		.action(runLazily(terminal, () => import('../commands/tools/api.ts')))
	program
		.command('completion')
		.description('Print the completion script for a shell')
		.argument('<shell>', 'bash, zsh, fish or powershell')
		.addHelpText(
			'after',
			`
Examples:
  playhouse completion bash >> ~/.bashrc
  playhouse completion zsh > "\${fpath[1]}/_playhouse"
  playhouse completion fish > ~/.config/fish/completions/playhouse.fish
  playhouse completion powershell >> $PROFILE`,
		)
		.action(runLazily(terminal, () => import('../commands/tools/completion.ts')))
	program
		.command('complete', { hidden: true })
		.description('Print the words that can follow a command line, for completion scripts')
		.argument('[words...]')
		.helpOption(false)
		.action(runLazily(terminal, () => import('../commands/tools/complete.ts')))
}
