import type { Command } from 'commander'
import { runLazily } from '../frame/invocation.ts'
import type { Terminal } from '../frame/terminal.ts'

export function addSignInCommands(program: Command, terminal: Terminal): void {
	program
		.command('login')
		.description('Get an API key for this computer from a person who approves in a browser')
		.argument('[url]', 'the address of the installation, such as https://video.example.com')
		.option('--scope <scopes>', 'ask for these scopes, separated by spaces', 'read write')
		.option('--device-name <name>', 'the name of the key (default: the name of this computer)')
		.option('--with-key', 'read an API key from stdin instead of opening a browser')
		.addHelpText(
			'after',
			`
The key is stored in a file that only you can read, one for each profile. Operators need the scope admin.

Examples:
  playhouse login https://video.example.com
  playhouse login https://video.example.com --scope "read write admin" --profile operator
  playhouse login https://video.example.com --with-key < key.txt`,
		)
		.action(runLazily(terminal, () => import('../commands/sign-in/login.ts')))
	program
		.command('logout')
		.description('Remove the key of a profile from this computer')
		.action(runLazily(terminal, () => import('../commands/sign-in/logout.ts')))
	program
		.command('whoami')
		.description('Show the installation, the organization and the scopes of the key')
		.action(runLazily(terminal, () => import('../commands/sign-in/whoami.ts')))
	const profiles = program.command('profiles').description('Switch between installations')
	profiles
		.command('ls')
		.description('List the profiles of this computer')
		.action(runLazily(terminal, () => import('../commands/sign-in/list-profiles.ts')))
	profiles
		.command('use')
		.description('Make a profile the current one')
		.argument('<name>', 'a name that "playhouse profiles ls" prints')
		.action(runLazily(terminal, () => import('../commands/sign-in/use-profile.ts')))
}
