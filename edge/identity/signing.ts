import { AppError } from '../http/errors.ts'
import type { Deps } from '../platform/deps.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { Tokens } from '../platform/tokens.ts'

/** Everything that signs needs AUTH_SECRET; without it these doors are not configured. */
export function signingOf(deps: Deps): { secrets: Secrets; tokens: Tokens } {
	const { secrets, tokens } = deps
	if (!secrets || !tokens)
		throw new AppError('not_configured', 'signing in is not set up: AUTH_SECRET is missing')
	return { secrets, tokens }
}
