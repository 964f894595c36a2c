import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Provider } from './provider.ts'
import { openStripe } from './stripe/stripe-provider.ts'

/** Returns the payment provider, or throws if billing is not configured. */
export function requireProvider(deps: Pick<Deps, 'env' | 'fetch' | 'log'>): Provider {
	const provider = openStripe(deps)
	if (!provider)
		throw new AppError(
			'not_configured',
			'billing is not set up: STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET are missing',
		)
	return provider
}

/** Returns the page to which people return from the provider. Callers can't choose it. */
export function billingReturnUrl({
	env: { vars },
	requestOrigin,
}: Pick<Deps, 'env' | 'requestOrigin'>): string {
	const url = vars.BILLING_RETURN_URL ?? vars.FRONTEND_URL ?? vars.PUBLIC_URL ?? requestOrigin
	if (!url) throw new AppError('not_configured', 'billing is not set up: BILLING_RETURN_URL is missing')
	return url
}
