import { call } from '../call.ts'
import { createClient } from '../client.ts'
import { type MemberTokens, refreshMemberToken } from '../generated/operations.ts'

/** Renew this long before the expiry, so that a request on its way still has a valid token. */
const MARGIN_MS = 30_000

/**
 * Returns a token for `new Playhouse({ token })` that renews itself. Many calls at a time renew it once, because a refresh
 * token works once: a second use revokes all tokens of the sign-in. Store what `onRenewed` gets before it returns.
 */
export function renewMemberToken(
	options: { baseUrl: string; fetch?: typeof fetch },
	tokens: MemberTokens,
	onRenewed?: (tokens: MemberTokens) => void | Promise<void>,
): () => Promise<string> {
	const client = createClient(options)
	let current = tokens
	let renewing: Promise<void> | undefined
	const renew = async () => {
		current = await call(client, refreshMemberToken, { refresh_token: current.refresh_token })
		await onRenewed?.(current)
	}
	return async () => {
		if (Date.parse(current.access_token_expires_at) - MARGIN_MS < Date.now()) {
			renewing ??= renew().finally(() => {
				renewing = undefined
			})
			await renewing
		}
		return current.access_token
	}
}
