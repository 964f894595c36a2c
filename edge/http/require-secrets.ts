import type { Deps } from '../platform/deps.ts'
import type { Secrets } from '../platform/tokens/secrets.ts'
import type { Tokens } from '../platform/tokens/tokens.ts'
import { AppError } from './errors.ts'

function requireSet<T>(value: T | null, feature: string): T {
	if (!value) throw new AppError('not_configured', `${feature}: not set up, because AUTH_SECRET is missing`)
	return value
}

export const requireSecrets = ({ secrets }: Pick<Deps, 'secrets'>, feature: string): Secrets =>
	requireSet(secrets, feature)

export const requireTokens = ({ tokens }: Pick<Deps, 'tokens'>, feature: string): Tokens =>
	requireSet(tokens, feature)
