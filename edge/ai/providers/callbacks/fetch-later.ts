import { SECOND } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { findEngine } from '../calls/engine.ts'
import type { CallRow } from '../calls/store.ts'
import { openClient } from '../clients/open-client.ts'
import { openOutsideAccess } from '../clients/outside.ts'
import { ProviderError, runAfterStart } from '../clients/provider-error.ts'
import type { TranscriptionResult } from '../clients/result.ts'

const TIMEOUT_MS = 30 * SECOND

/** Returns null while the provider works, and for providers without polling. */
export async function fetchLaterResult(deps: Deps, call: CallRow): Promise<TranscriptionResult | null> {
	if (call.remoteId === null) return null
	const engine = await findEngine(deps, call.orgId)
	// Changing the key or the provider meanwhile does not make the work free.
	const client = await runAfterStart(async () => {
		if (engine?.provider !== call.provider || engine.payer !== call.payer)
			throw new ProviderError('not_configured', 'the organization has switched providers')
		return openClient(openOutsideAccess(deps, TIMEOUT_MS), engine)
	})
	return client.fetchResult ? client.fetchResult(call.remoteId) : null
}
