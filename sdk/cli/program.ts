import { Command } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { exitCodes } from './frame/exit-codes.ts'
import type { Terminal } from './frame/terminal.ts'
import { addAssetCommands } from './groups/assets.ts'
import { addEventCommands } from './groups/events.ts'
import { addLibraryCommands } from './groups/library.ts'
import { addSignInCommands } from './groups/sign-in.ts'
import { addToolCommands } from './groups/tools.ts'
import { addUploadCommands } from './groups/upload.ts'

const footer = `
Exit codes:
${exitCodes.map(({ code, meaning }) => `  ${String(code).padEnd(5)}${meaning}`).join('\n')}

Environment:
  PLAYHOUSE_URL, PLAYHOUSE_API_KEY  used in place of a profile; both are needed
  PLAYHOUSE_PROFILE                 the profile, as with --profile
  NO_COLOR                          no colors`

/** Declares every command. The code of a command is loaded when the command runs. */
export function createProgram(terminal: Terminal): Command {
	const program = new Command('playhouse')
		.description('Upload, find and manage the videos of a Playhouse installation')
		.version(packageJson.version, '-V, --version', 'print the version')
		.helpOption('-h, --help', 'print the help of a command')
		.helpCommand('help [command]', 'print the help of a command')
		.option('--profile <name>', 'use the installation and the key of this profile')
		.option('--url <url>', 'use this installation')
		.option('--allow-insecure-http', 'send the key unencrypted to an installation without https')
		.option('--json', 'print one JSON object a line')
		.addHelpText('after', footer)
		.configureHelp({ showGlobalOptions: true })
		.showHelpAfterError('add --help to see what the command takes')
		.exitOverride()
		.configureOutput({
			writeOut: (text) => terminal.write(text),
			writeErr: (text) => terminal.talk(text.trimEnd()),
			outputError: (text, write) => write(text.replace(/^error: /, 'playhouse: ')),
			getOutHelpWidth: () => terminal.width,
			getErrHelpWidth: () => terminal.width,
		})
	addSignInCommands(program, terminal)
	addUploadCommands(program, terminal)
	addAssetCommands(program, terminal)
	addLibraryCommands(program, terminal)
	addEventCommands(program, terminal)
	addToolCommands(program, terminal)
	return program
}
