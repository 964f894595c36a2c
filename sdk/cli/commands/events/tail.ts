import { consumeEvents } from '../../../src/helpers/consume-events.ts'
import { connect } from '../../frame/connect.ts'
import type { Invocation } from '../../frame/invocation.ts'
import { findPosition, splitTypes } from './positions.ts'
import { printEvent } from './print-event.ts'

type Options = { from: string; types?: string }

export async function run({ options, terminal }: Invocation<Options>): Promise<void> {
	const { client } = await connect(options, terminal.env)
	const after = await findPosition(client, options.from)
	terminal.talk(`Waiting for events after ${after}. Ctrl-C ends the command.`)
	await consumeEvents(
		client,
		{
			after,
			...(options.types && { types: splitTypes(options.types) }),
			checkpoint: { load: () => undefined, save: () => {} },
			signal: terminal.interruption,
		},
		(event) => printEvent(terminal, options, event),
	)
}
