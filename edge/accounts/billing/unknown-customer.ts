/** Returns what to log about a customer that the provider does not know. */
export const describeUnknownCustomer = (customerId: string) =>
	[
		'Stripe does not know a customer',
		new Error('does STRIPE_SECRET_KEY belong to another account or mode?'),
		{ customerId },
	] as const
