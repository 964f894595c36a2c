import { z } from 'zod'
import type { ReadLastErasure } from '../../../accounts/audit/last-erasure.ts'
import type { Deps } from '../../../platform/deps.ts'

/** Lies outside the folder of the ledger, whose entries are pruned, and names nobody. */
const KEY = 'last-erasure.json'
const LastErasure = z.object({ startedAt: z.int() })

/**
 * Records in the vault that a run is about to erase an account. Each run does so before its first statement, so a run that dies
 * is recorded, and a later run records a later time. Uses `clock`, not `now`, so that a delayed run can't set the time back.
 */
export async function recordLastErasure({ env, clock }: Deps): Promise<void> {
	await env.bindings.VAULT.put(
		KEY,
		JSON.stringify({ startedAt: clock() } satisfies z.infer<typeof LastErasure>),
		{
			httpMetadata: { contentType: 'application/json' },
		},
	)
}

export const readLastErasure: ReadLastErasure = async ({ env }) => {
	const object = await env.bindings.VAULT.get(KEY)
	return object && LastErasure.parse(await object.json()).startedAt
}
