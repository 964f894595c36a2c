import { DAY } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { finishWithError } from '../calls/finish.ts'
import { callStore, isOpen } from '../calls/store.ts'
import { ProviderError } from '../clients/provider-error.ts'
import { askProvider } from './consume.ts'
import { deliveryStore, RESEND_MS } from './delivery-store.ts'

const AT_ONCE = 20
/** After so many checks, nobody expects an answer any more. */
const MAX_CHECKS = 6
const KEPT_MS = 90 * DAY

/** Looks after calls of which nothing was heard, and after stored callbacks whose message was lost. */
export async function sweepCalls(deps: Deps): Promise<void> {
	const { db, now } = deps
	for (const delivery of await deliveryStore(db).claimDue(now, now + RESEND_MS, AT_ONCE))
		await deps.send({ type: 'ai.callback', ...delivery })
	const store = callStore(db)
	for (const call of await store.claimChecks(now, AT_ONCE)) {
		if (call.remoteId !== null) await askProvider(deps, call)
		const current = await store.find(call.id)
		const canAnswer = call.provider === 'assemblyai' && call.remoteId !== null
		if (current && isOpen(current) && (!canAnswer || call.checks >= MAX_CHECKS))
			await finishWithError(deps, current, new ProviderError('timeout', 'the provider never answered'))
	}
}

export async function pruneCalls({ db, now }: Deps): Promise<void> {
	await deliveryStore(db).prune(now - KEPT_MS)
	await callStore(db).prune(now - KEPT_MS)
}
