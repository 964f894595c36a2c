import { Stripe } from 'stripe'
import { createCheckout, receiveBillingEvent } from '#schema/contract/accounts/billing.ts'
import { SECOND } from '../../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import type { SentEvent } from './stripe-objects.ts'
import { SECRET_KEY, StripeStandIn, WEBHOOK_SECRET } from './stripe-stand-in.ts'

export const billingVars = {
	STRIPE_SECRET_KEY: SECRET_KEY,
	STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
	DEFAULT_TIER: 'free',
	PUBLIC_URL: 'https://edge.test',
	FRONTEND_URL: 'https://app.example.org',
}

/** Signs only; it sends nothing. */
const signer = new Stripe(SECRET_KEY)

export async function openBillingWorld(vars: Record<string, string> = {}) {
	let world: World | undefined
	const stripe = new StripeStandIn(() => world?.now ?? 0)
	world = await openWorld({ ...billingVars, ...vars }, { fetch: stripe.fetch })
	const ada = await world.person()
	world.messages.length = 0
	return { ...billingActions(world, stripe), world, stripe, ada }
}
export type BillingWorld = Awaited<ReturnType<typeof openBillingWorld>>

/** What Stripe and its customers do to a Worker. */
export function billingActions(world: World, stripe: StripeStandIn) {
	/** Sends an event as Stripe does. */
	async function send(event: SentEvent, more: { secret?: string; agedSeconds?: number; sent?: string } = {}) {
		const payload = JSON.stringify(event)
		const signature = await signer.webhooks.generateTestHeaderStringAsync({
			payload,
			secret: more.secret ?? WEBHOOK_SECRET,
			timestamp: Math.floor(world.now / SECOND) - (more.agedSeconds ?? 0),
			cryptoProvider: Stripe.createSubtleCryptoProvider(),
		})
		return world.ask(
			receiveBillingEvent,
			{},
			{
				bytes: more.sent ?? payload,
				headers: { 'stripe-signature': signature, 'content-type': 'application/json' },
			},
		)
	}

	let sent = 0
	return {
		send,

		/** Sends every event that was not sent yet, and does the work that follows. */
		async settle() {
			while (sent < stripe.events.length) await send(stripe.events[sent++] as SentEvent)
			while (world.messages.length > 0) await world.deliver()
		},

		checkOut: (who: Person, tier: 'pro' | 'business' = 'pro', interval: 'month' | 'year' = 'month') =>
			world.ask(createCheckout, { body: { tier, interval } }, who),

		/** Returns the id of the session from the address of its page. */
		sessionAt: (url: string): string => url.split('/').at(-1) ?? '',

		async account(orgId: string) {
			const [row] = await world.deps(({ db }) =>
				db.all<{
					customer_id: string | null
					status: string | null
					subscription_id: string | null
					paid_tier: string | null
					paid_tier_until: number | null
				}>(
					`select customer_id, status, subscription_id, paid_tier, paid_tier_until from billing_accounts join orgs on id = org_id where org_id = '${orgId}'`,
				),
			)
			return row
		},
	}
}
