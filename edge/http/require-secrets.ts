import type { Deps } from '../platform/deps.ts'
import type { Secrets } from '../platform/secrets.ts'
import { AppError } from './errors.ts'

/** For what can't work without AUTH_SECRET; `what` starts the sentence that says so. */
export function requireSecrets({ secrets }: Pick<Deps, 'secrets'>, what: string): Secrets {
	if (!secrets) throw new AppError('not_configured', `${what} not set up: AUTH_SECRET is missing`)
	return secrets
}
