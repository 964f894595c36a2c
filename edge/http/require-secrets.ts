import type { Deps } from '../platform/deps.ts'
import type { Secrets } from '../platform/tokens/secrets.ts'
import type { Tokens } from '../platform/tokens/tokens.ts'
import { AppError } from './errors.ts'

/** Returns the secrets, or throws if AUTH_SECRET is missing. `what` starts the error message. */
export function requireSecrets({ secrets }: Pick<Deps, 'secrets'>, what: string): Secrets {
	if (!secrets) throw new AppError('not_configured', `${what} not set up: AUTH_SECRET is missing`)
	return secrets
}

/** Returns the signer of tokens, or throws if AUTH_SECRET is missing. `what` starts the error message. */
export function requireTokens({ tokens }: Pick<Deps, 'tokens'>, what: string): Tokens {
	if (!tokens) throw new AppError('not_configured', `${what} not set up: AUTH_SECRET is missing`)
	return tokens
}
