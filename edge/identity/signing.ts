import { AppError } from '../http/errors.ts'
import type { Deps } from '../platform/deps.ts'
import type { Secrets } from '../platform/tokens/secrets.ts'
import type { Tokens } from '../platform/tokens/tokens.ts'

/** Returns the signing keys, or throws if AUTH_SECRET is missing. */
export function signingOf(deps: Deps): { secrets: Secrets; tokens: Tokens } {
	const { secrets, tokens } = deps
	if (!secrets || !tokens)
		throw new AppError('not_configured', 'signing in is not set up: AUTH_SECRET is missing')
	return { secrets, tokens }
}
