import { call } from '../../../src/call.ts'
import { CanceledError } from '../../../src/errors.ts'
import { getWebhookEvent } from '../../../src/generated/operations.ts'
import { consumeEvents } from '../../../src/helpers/consume-events.ts'
import { withLock } from '../../files/lock.ts'
import { connect, findOrgId } from '../../frame/connect.ts'
import { USAGE } from '../../frame/exit-codes.ts'
import { CommandFailure } from '../../frame/failure.ts'
import type { Invocation } from '../../frame/invocation.ts'
import { type Delivery, forwardEvent } from './forward.ts'
import { listenPath, readCheckpoint, readSecret, writeCheckpoint } from './listen-state.ts'
import { findNewestSequence, findPosition, splitTypes } from './positions.ts'
import type { EventLine } from './print-event.ts'

type Options = { forwardTo: string; types?: string; from?: string; replay?: string[]; printSecret?: true }

export async function run({ options, terminal }: Invocation<Options>): Promise<void> {
	const { forwardTo, types } = options
	const target = URL.canParse(forwardTo) ? new URL(forwardTo) : undefined
	// `fetch` refuses addresses with a user name.
	if (!target || !/^https?:$/.test(target.protocol) || target.username + target.password !== '')
		throw new CommandFailure(
			'--forward-to is not valid; use an address like http://localhost:3000/webhooks, without a user name',
			USAGE,
		)
	const { client, url } = await connect(options, terminal.env)
	const orgId = await findOrgId(client)
	const secret = await readSecret(listenPath(terminal.env, 'secret', url, orgId))
	if (options.printSecret) {
		terminal.print(secret)
		return
	}
	const signal = terminal.interruption
	const report = (delivery: Delivery) => {
		if (options.json) terminal.printJson(delivery)
		else terminal.print(formatDelivery(delivery))
	}
	const forward = (event: EventLine) => forwardEvent(forwardTo, secret, event, signal, report)
	if (options.replay) {
		for (const eventId of options.replay) {
			const { event } = await call(client, getWebhookEvent, { orgId, eventId })
			if (!(await forward(event as unknown as EventLine)))
				throw new CanceledError('the replay was interrupted')
		}
		return
	}
	const path = listenPath(terminal.env, 'checkpoint', url, orgId, forwardTo)
	await withLock(`${path}.lock`, `events for ${forwardTo}`, async () => {
		const stored = options.from === undefined ? await readCheckpoint(path) : undefined
		const newest = stored === undefined ? undefined : await findNewestSequence(client)
		const isAhead = stored !== undefined && newest !== undefined && stored > newest
		if (isAhead)
			terminal.talk(`The installation has only ${newest} events, so it was restored. Starting after them.`)
		const after = isAhead ? newest : (stored ?? (await findPosition(client, options.from ?? 'now')))
		await writeCheckpoint(path, after)
		terminal.talk(`Forwarding events after ${after} to ${forwardTo}. Ctrl-C ends the command.`)
		const checkpoint = {
			load: () => after,
			save: (sequence: number) => (signal.aborted ? undefined : writeCheckpoint(path, sequence)),
		}
		await consumeEvents(
			client,
			{ ...(types && { types: splitTypes(types) }), checkpoint, signal },
			async (event) => {
				// The checkpoint stays before an event that did not arrive.
				if (!(await forward(event))) throw new CanceledError('the forwarding was interrupted')
			},
		)
	})
}

function formatDelivery({ event, sequence, type, status, durationMs }: Delivery): string {
	const result = status === null ? 'no answer' : String(status)
	return [sequence, type, event, result, `${durationMs} ms`].join('\t')
}
