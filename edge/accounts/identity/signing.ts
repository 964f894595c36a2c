import { requireSecrets, requireTokens } from '../../http/require-secrets.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Secrets } from '../../platform/tokens/secrets.ts'
import type { Tokens } from '../../platform/tokens/tokens.ts'

/** Returns the signing keys, or throws if AUTH_SECRET is missing. */
export function requireSigning(deps: Deps): { secrets: Secrets; tokens: Tokens } {
	return { secrets: requireSecrets(deps, 'signing in'), tokens: requireTokens(deps, 'signing in') }
}
