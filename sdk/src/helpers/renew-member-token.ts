import { call } from '../call.ts'
import { type ClientOptions, checkEncryption, createClient } from '../client.ts'
import { type MemberTokens, refreshMemberToken } from '../generated/operations.ts'

/** Renews this long before the expiry, so that requests arrive with a valid token. */
const MARGIN_MS = 30_000

/**
 * Returns a token for `new Playhouse({ token })` that renews itself. Concurrent calls share one renewal, because a second
 * use of a refresh token revokes all tokens of the sign-in. `onRenewed` must store the new tokens before it returns.
 */
export function renewMemberToken(
	options: Pick<ClientOptions, 'baseUrl' | 'fetch' | 'allowInsecureHttp'>,
	tokens: MemberTokens,
	onRenewed?: (tokens: MemberTokens) => void | Promise<void>,
): () => Promise<string> {
	const client = createClient(options)
	// The refresh token is in the body, so that the client has no credential to check.
	if (!options.allowInsecureHttp) checkEncryption(new URL(client.baseUrl))
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
