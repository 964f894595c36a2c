import type { Command } from 'commander'
import { runLazily } from '../frame/invocation.ts'
import type { Terminal } from '../frame/terminal.ts'

/** Commands for collections, members, the organization and captions. */
export function addLibraryCommands(program: Command, terminal: Terminal): void {
	const collections = program.command('collections').description('List, create and delete collections')
	collections
		.command('ls')
		.description('List the collections')
		.action(runLazily(terminal, () => import('../commands/org/list-collections.ts')))
	collections
		.command('create')
		.description('Create a collection')
		.argument('<name>', 'the name')
		.option('--color <name>', 'a color, such as red, amber, green, blue or pink', 'slate')
		.action(runLazily(terminal, () => import('../commands/org/create-collection.ts')))
	collections
		.command('rm')
		.description('Delete a collection; its videos stay')
		.argument('<collection>', 'the id')
		.option('--yes', 'skip the confirmation')
		.action(runLazily(terminal, () => import('../commands/org/remove-collection.ts')))
	program
		.command('members')
		.description('List the members of the organization')
		.command('ls')
		.description('List the members of the organization')
		.action(runLazily(terminal, () => import('../commands/org/list-members.ts')))
	const orgs = program.command('orgs').description('Show the organization of the key')
	orgs
		.command('get')
		.description('Show the organization')
		.action(runLazily(terminal, () => import('../commands/org/get-org.ts')))
	orgs
		.command('usage')
		.description('Show what the organization uses, and the limits of its tier')
		.action(runLazily(terminal, () => import('../commands/org/get-usage.ts')))
	const captions = program.command('captions').description('Read and replace the captions of a video')
	captions
		.command('ls')
		.description('List the languages of the captions')
		.argument('<asset>', 'the id of the video')
		.action(runLazily(terminal, () => import('../commands/captions/list.ts')))
	captions
		.command('get')
		.description('Print the captions in one language as WebVTT')
		.argument('<asset>', 'the id of the video, which must be ready')
		.argument('<language>', 'a language tag, such as en or pt-BR')
		.option('--srt', 'print SRT')
		.action(runLazily(terminal, () => import('../commands/captions/get.ts')))
	captions
		.command('put')
		.description('Upload the captions in one language')
		.argument('<asset>', 'the id of the video')
		.argument('<language>', 'a language tag, such as en or pt-BR')
		.argument('<file>', 'a WebVTT or SRT file; - is stdin')
		.action(runLazily(terminal, () => import('../commands/captions/put.ts')))
}
