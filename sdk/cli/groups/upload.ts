import { type Command, Option } from 'commander'
import { runLazily } from '../frame/invocation.ts'
import { parseCount } from '../frame/option-values.ts'
import type { Terminal } from '../frame/terminal.ts'

const visibility = () =>
	new Option('--visibility <who>', 'who can watch the video').choices(['public', 'unlisted', 'signed'])

export function addUploadCommands(program: Command, terminal: Terminal): void {
	program
		.command('upload')
		.description('Upload files, and process each into a video')
		.argument('<file...>', 'the files')
		.option('--wait', 'wait until each video is ready')
		.option('--title <text>', 'the title (default: the name of the file)')
		.option('--collection <id>', 'put the videos into this collection')
		.addOption(visibility())
		.option('--chunk <mib>', 'send chunks of this size (default: 50, for files over 100 MB)', parseCount)
		.addHelpText(
			'after',
			`
The page of a video is printed at once, and the id of its asset when the file is complete. After an interruption, the
same command resumes at the offset of the server. A changed file is sent from the start.

Examples:
  playhouse upload film.mp4 --wait
  playhouse upload *.mov --visibility unlisted --json | jq -r .watchUrl`,
		)
		.action(runLazily(terminal, () => import('../commands/upload/upload.ts')))
	program
		.command('import')
		.description('Import a video from a web address')
		.argument('<url>', 'the address of the file')
		.option('--wait', 'wait until the video is ready')
		.option('--title <text>', 'the title (default: the name of the file)')
		.option('--collection <id>', 'put the video into this collection')
		.addOption(visibility())
		.action(runLazily(terminal, () => import('../commands/upload/import.ts')))
}
