import { z } from 'zod'
import type { ReadLastErasure } from '../../../accounts/audit/last-erasure.ts'
import type { Deps } from '../../../platform/deps.ts'

/** Lies outside the folder of the ledger, whose entries are pruned, and names nobody. */
const KEY = 'last-erasure.json'
const LastErasure = z.object({ startedAt: z.int() })

/**
 * Notes in the vault that a run erases an account from now on. Each run does it before its first statement, so a run that
 * dies has been noted, and a later run notes a later time. `clock` rather than `now`, so that a run that waited can't set
 * the time back.
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
