import type { Command } from 'commander'
import { runLazily } from '../frame/invocation.ts'
import { collect, parseCount } from '../frame/option-values.ts'
import type { Terminal } from '../frame/terminal.ts'

const FROM = 'now, start, or the sequence of the last event to skip'
const TYPES = 'only these types, separated by commas, such as asset.ready,asset.error'

export function addEventCommands(program: Command, terminal: Terminal): void {
	const events = program.command('events').description('Read the events of the organization')
	events
		.command('ls')
		.description('List the events of the last 30 days, oldest first')
		.option('--after <sequence>', 'only events after this sequence', parseCount)
		.option('--types <types>', TYPES)
		.option('--limit <n>', 'print at most this number', parseCount, 100)
		.action(runLazily(terminal, () => import('../commands/events/list.ts')))
	events
		.command('tail')
		.description('Print events as they happen, until Ctrl-C')
		.option('--from <where>', FROM, 'now')
		.option('--types <types>', TYPES)
		.action(runLazily(terminal, () => import('../commands/events/tail.ts')))
	events
		.command('resend')
		.description('Deliver events to the webhook endpoints again; needs a key with the scope admin')
		.argument('<event...>', 'the ids')
		.option('--endpoint <id>', 'only to this endpoint')
		.action(runLazily(terminal, () => import('../commands/events/resend.ts')))
	program
		.command('listen')
		.description('Forward events to a program on this computer, signed like webhooks')
		.requiredOption('--forward-to <url>', 'the address, such as http://localhost:3000/webhooks')
		.option('--types <types>', TYPES)
		.option('--from <where>', `${FROM} (default: the last event that was forwarded, or now)`)
		.option('--replay <event>', 'forward this event again, and end; needs the scope admin', collect)
		.option('--print-secret', 'print the signing secret, and end')
		.addHelpText(
			'after',
			`
The secret stays the same for an installation and organization. An event is sent again while the program is
unreachable or answers 408, 429 or 5xx; any other status counts as an answer. After a restart, listen continues with the next
event.

Examples:
  export WEBHOOK_SECRET=$(playhouse listen --forward-to http://localhost:3000/webhooks --print-secret)
  playhouse listen --forward-to http://localhost:3000/webhooks --types asset.ready`,
		)
		.action(runLazily(terminal, () => import('../commands/events/listen.ts')))
}
