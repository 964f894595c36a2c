import type { AiCallback } from '#schema/contract/messages.ts'
import { MINUTE } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { finishWithError, finishWithResult } from '../calls/finish.ts'
import { type CallRow, callStore, isOpen } from '../calls/store.ts'
import { ProviderError } from '../clients/provider-error.ts'
import { BODY_BUCKET, type DeliveryRow, deliveryStore } from './delivery-store.ts'
import { fetchLaterResult } from './fetch-later.ts'
import { readCallbackBody } from './read-body.ts'

const NEXT_CHECK_MS = MINUTE

/** Handles a stored callback once. */
export async function consumeCallback(deps: Deps, { callId, deliveryId }: AiCallback): Promise<void> {
	const store = deliveryStore(deps.db)
	const delivery = await store.find(callId, deliveryId)
	if (!delivery || delivery.dueAt === null) return
	const call = await callStore(deps.db).find(callId)
	if (call && isOpen(call)) {
		const stored = await deps.objects[BODY_BUCKET].get(delivery.bodyKey)
		if (stored.state === 'found') {
			const isDone = await apply(deps, call, await new Response(stored.body).text(), delivery.trust)
			// If the process dies before the call ends, this delivery is retried.
			if (!isDone) return
		}
	}
	await store.finish(delivery)
	await deps.objects[BODY_BUCKET].delete(delivery.bodyKey)
}

/** Returns false if another process is ending the call. */
async function apply(deps: Deps, call: CallRow, text: string, trust: DeliveryRow['trust']): Promise<boolean> {
	const content = readCallbackBody(text, { trust, language: call.language })
	switch (content.kind) {
		case 'completed':
			return finishWithResult(deps, call, content.result)
		case 'failed':
			return finishWithError(deps, call, content.error)
		case 'progress':
			await callStore(deps.db).postponeCheck(call.id, deps.now + NEXT_CHECK_MS)
			return true
		case 'ask':
			return pollProvider(deps, call)
	}
}

/**
 * Fetches the result with our key. The call stays open while the provider works or fails. Returns false if another
 * process is ending the call.
 */
export async function pollProvider(deps: Deps, call: CallRow): Promise<boolean> {
	try {
		const result = await fetchLaterResult(deps, call)
		return !result || (await finishWithResult(deps, call, result))
	} catch (error) {
		if (!(error instanceof ProviderError)) throw error
		return error.kind === 'retryable' || finishWithError(deps, call, error)
	}
}
