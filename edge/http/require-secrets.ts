import type { Deps } from '../platform/deps.ts'
import type { Secrets } from '../platform/tokens/secrets.ts'
import type { Tokens } from '../platform/tokens/tokens.ts'
import { AppError } from './errors.ts'

/** Returns the secrets, or throws if AUTH_SECRET is missing. The message names the feature. */
export function requireSecrets({ secrets }: Pick<Deps, 'secrets'>, feature: string): Secrets {
	if (!secrets) throw new AppError('not_configured', `${feature}: not set up, because AUTH_SECRET is missing`)
	return secrets
}

/** Returns the signer of tokens, or throws if AUTH_SECRET is missing. The message names the feature. */
export function requireTokens({ tokens }: Pick<Deps, 'tokens'>, feature: string): Tokens {
	if (!tokens) throw new AppError('not_configured', `${feature}: not set up, because AUTH_SECRET is missing`)
	return tokens
}
