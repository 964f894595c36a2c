import { SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { BATCH_SIZE } from '../../platform/outbox/relay.ts'

/** The queue delays a message by at most 12 hours; the sweep starts what is due later. */
const MAX_DELAY_SECONDS = 12 * 3_600

/** Starts the due deliveries of endpoints. A message that is lost is replaced by the sweep. */
export async function wakeEndpoints({ sendBatch }: Deps, endpointIds: readonly string[]): Promise<void> {
	const messages = endpointIds.map((endpointId) => ({ type: 'webhook.deliver', endpointId }) as const)
	for (let at = 0; at < messages.length; at += BATCH_SIZE)
		await sendBatch(messages.slice(at, at + BATCH_SIZE))
}

export async function wakeEndpointAt({ send, clock }: Deps, endpointId: string, at: number): Promise<void> {
	const delaySeconds = Math.max(0, Math.ceil((at - clock()) / SECOND))
	if (delaySeconds > MAX_DELAY_SECONDS) return
	await send({ type: 'webhook.deliver', endpointId }, { delaySeconds })
}
