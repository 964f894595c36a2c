import type { Stripe } from 'stripe'
import { AppError } from '../../../http/errors.ts'
import { SECOND } from '../../../platform/clock.ts'
import type { Fetch } from '../../../platform/deps.ts'
import type { Log } from '../../../platform/log.ts'

const TIMEOUT_MS = 15 * SECOND

export type StripeSdk = typeof Stripe
export type StripeClient = {
	/** Returns Stripe's response, or null if it doesn't know the object. */
	ask<T>(work: (stripe: Stripe, sdk: StripeSdk) => Promise<T>): Promise<T | null>
	open(): Promise<{ stripe: Stripe; sdk: StripeSdk }>
}

/** The SDK is loaded with the first request that needs it, since most requests and installations do not. */
export function stripeClient(secretKey: string, fetch: Fetch, log: Log): StripeClient {
	let opened: Promise<{ stripe: Stripe; sdk: StripeSdk }> | undefined
	const open = () => {
		opened ??= import('stripe').then(({ Stripe: sdk }) => ({
			sdk,
			stripe: new sdk(secretKey, {
				httpClient: sdk.createFetchHttpClient((url, init) => fetch(String(url), init ?? {})),
				// Queue messages and people retry instead.
				maxNetworkRetries: 0,
				timeout: TIMEOUT_MS,
				telemetry: false,
			}),
		}))
		return opened
	}
	return {
		open,
		async ask(work) {
			const { stripe, sdk } = await open()
			try {
				return await work(stripe, sdk)
			} catch (error) {
				if (!(error instanceof sdk.errors.StripeError)) throw error
				if (error.code === 'resource_missing') return null
				log.error('Stripe did not do what was asked', error, {
					stripeCode: error.code,
					stripeRequestId: error.requestId,
				})
				throw new AppError('unavailable', 'the payment provider does not respond; try again later')
			}
		},
	}
}
