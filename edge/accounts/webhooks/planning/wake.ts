import type { DeliverWebhooks } from '#schema/contract/messages.ts'
import { SECOND } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'

/** The queue delays a message by at most 12 hours; the sweep starts what is due later. */
const MAX_DELAY_SECONDS = 12 * 3_600

export type Wake = Omit<DeliverWebhooks, 'type'>

export const toWakeMessage = ({ endpointId, failures }: { endpointId: string; failures: number }): Wake => ({
	endpointId,
	isFailing: failures > 0,
})

/** Starts the due deliveries of endpoints. A message that is lost is replaced by the sweep. */
export const wakeEndpoints = ({ sendBatch }: Deps, wakes: readonly Wake[]): Promise<void> =>
	sendBatch(wakes.map((wake) => ({ type: 'webhook.deliver', ...wake })))

export async function wakeEndpointAt({ send, clock }: Deps, wake: Wake, at: number): Promise<void> {
	const delaySeconds = Math.max(0, Math.ceil((at - clock()) / SECOND))
	if (delaySeconds > MAX_DELAY_SECONDS) return
	await send({ type: 'webhook.deliver', ...wake }, { delaySeconds })
}
