import { call } from '../../../src/call.ts'
import { retryWebhookEvent } from '../../../src/generated/operations.ts'
import { connect, findOrgId } from '../../frame/connect.ts'
import type { Invocation } from '../../frame/invocation.ts'
import { printRecords } from '../../frame/records.ts'

type Options = { endpoint?: string }

export async function run({
	args: [ids],
	options,
	terminal,
}: Invocation<Options, [string[]]>): Promise<void> {
	const { client } = await connect(options, terminal.env)
	const orgId = await findOrgId(client)
	const { endpoint: endpointId } = options
	for (const eventId of ids) {
		const deliveries = await call(client, retryWebhookEvent, {
			orgId,
			eventId,
			...(endpointId && { endpointId }),
		})
		await printRecords(terminal, options, deliveries, ['eventId', 'endpointId', 'type', 'status'])
	}
}
