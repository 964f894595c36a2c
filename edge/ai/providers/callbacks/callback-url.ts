import { receiveAiCallback } from '#schema/contract/ai/callback.ts'
import type { Deps } from '../../../platform/deps.ts'
import { makeCapability } from './call-secret.ts'

/** Returns the address for a provider that cannot sign; null if this installation has no public address. */
export async function callbackUrl(
	{ env, secrets, now }: Pick<Deps, 'env' | 'secrets' | 'now'>,
	callId: string,
	provider: string,
): Promise<string | null> {
	const base = env.vars.PUBLIC_URL
	if (!base || !secrets) return null
	const query = new URLSearchParams({
		call: callId,
		cap: await makeCapability(secrets, callId, provider, now),
	})
	return `${base}${receiveAiCallback.path}?${query}`
}
