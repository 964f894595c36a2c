import { DAY } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { queueDue, runOrLog } from '../../../platform/work/sweep.ts'
import { finishWithError } from '../calls/finish.ts'
import { type CallRow, callStore, isOpen } from '../calls/store.ts'
import { ProviderError } from '../clients/provider-error.ts'
import { pollProvider } from './consume.ts'
import { deliveryStore, deliverySweep } from './delivery-store.ts'

const AT_ONCE = 20
/** After this many checks, the call is considered lost. */
const MAX_CHECKS = 6
const KEPT_MS = 90 * DAY

/** Checks silent calls, and requeues stored callbacks whose message was lost. */
export async function sweepCalls(deps: Deps): Promise<void> {
	const { db, now, log } = deps
	await queueDue(deps, deliverySweep)
	for (const call of await callStore(db).claimChecks(now, AT_ONCE))
		await runOrLog(log, 'a call of an AI provider was not checked', { callId: call.id }, () =>
			checkCall(deps, call),
		)
}

async function checkCall(deps: Deps, call: CallRow): Promise<void> {
	if (call.remoteId !== null) await pollProvider(deps, call)
	const current = await callStore(deps.db).find(call.id)
	const canAnswer = call.provider === 'assemblyai' && call.remoteId !== null
	if (current && isOpen(current) && (!canAnswer || call.checks >= MAX_CHECKS))
		await finishWithError(deps, current, new ProviderError('timeout', 'the provider never answered'))
}

export async function pruneCalls({ db, now }: Deps): Promise<void> {
	await deliveryStore(db).prune(now - KEPT_MS)
	await callStore(db).prune(now - KEPT_MS)
}
