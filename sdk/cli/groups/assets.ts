import { type Command, Option } from 'commander'
import { runLazily } from '../frame/invocation.ts'
import { parseCount } from '../frame/option-values.ts'
import type { Terminal } from '../frame/terminal.ts'

export function addAssetCommands(program: Command, terminal: Terminal): void {
	const assets = program.command('assets').description('List, show, change and delete videos')
	assets
		.command('ls')
		.description('List videos, newest first')
		.option('--limit <n>', 'print at most this number', parseCount, 30)
		.option('--all', 'print all videos')
		.option('-q, --query <text>', 'with this text in title or description')
		.option('--status <status>', 'with this status, such as ready or error')
		.option('--visibility <who>', 'public, unlisted or signed')
		.option('--collection <id>', 'in this collection, or none')
		.option(
			'--sort <field>',
			'created, updated, title, duration or size, with - before for descending',
			'-created',
		)
		.option('--trashed', 'list the trash')
		.addHelpText('after', '\nExample:\n  playhouse assets ls --status error --json | jq -r .id')
		.action(runLazily(terminal, () => import('../commands/assets/list.ts')))
	assets
		.command('get')
		.description('Show a video')
		.argument('<asset>', 'the id')
		.action(runLazily(terminal, () => import('../commands/assets/get.ts')))
	assets
		.command('set')
		.description('Change fields of a video')
		.argument('<asset>', 'the id')
		.option('--title <text>', 'the title')
		.option('--description <text>', 'the description')
		.addOption(new Option('--visibility <who>', 'who can watch').choices(['public', 'unlisted', 'signed']))
		.option('--collection <id>', 'the collection, or none')
		.action(runLazily(terminal, () => import('../commands/assets/set.ts')))
	assets
		.command('rm')
		.description('Move videos to the trash, where they stay for 30 days')
		.argument('<asset...>', 'the ids')
		.option('--permanently', 'delete the videos at once; this can not be undone')
		.option('--yes', 'skip the confirmation')
		.action(runLazily(terminal, () => import('../commands/assets/remove.ts')))
	assets
		.command('open')
		.description('Open the page of a video in a browser')
		.argument('<asset>', 'the id')
		.action(runLazily(terminal, () => import('../commands/assets/open.ts')))
	assets
		.command('download')
		.description('Download a video')
		.argument('<asset>', 'the id')
		.option('-o, --output <file>', 'write to this file; - is stdout (default: the name of the video)')
		.option(
			'--quality <name>',
			'720p or another height, best for the best MP4, or source (default: the source if it is kept)',
		)
		.action(runLazily(terminal, () => import('../commands/assets/download.ts')))
}
