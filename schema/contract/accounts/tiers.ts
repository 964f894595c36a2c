import { z } from 'zod'

export const TierName = z.enum(['free', 'pro', 'business', 'self-hosted'])
export type TierName = z.infer<typeof TierName>

/** A limit; null for unlimited. */
const limit = z.int().nonnegative().nullable()

export const TierLimits = z
	.object({
		encodeMinutesPerMonth: limit,
		storageBytes: limit,
		deliveryMinutesPerMonth: limit,
		apiKeys: limit,
		members: limit,
		requestsPerMinute: limit,
	})
	.meta({ id: 'TierLimits' })
export type TierLimits = z.infer<typeof TierLimits>
export type LimitName = keyof TierLimits

/** How many organizations of a tier one user may create. Without this, more organizations would bypass every limit. */
export const orgsPerPerson: Record<TierName, number | null> = {
	free: 3,
	pro: 10,
	business: 25,
	'self-hosted': null,
}

/** How many invitations an organization and its communities may send per day. */
export const invitationsPerDay: Record<TierName, number> = {
	free: 50,
	pro: 500,
	business: 2_000,
	'self-hosted': 2_000,
}

const GB = 1_000_000_000

export const tiers: Record<TierName, TierLimits> = {
	free: {
		encodeMinutesPerMonth: 120,
		storageBytes: 10 * GB,
		deliveryMinutesPerMonth: 5_000,
		apiKeys: 2,
		members: 3,
		requestsPerMinute: 300,
	},
	pro: {
		encodeMinutesPerMonth: 3_000,
		storageBytes: 500 * GB,
		deliveryMinutesPerMonth: 200_000,
		apiKeys: 20,
		members: 25,
		requestsPerMinute: 1_500,
	},
	business: {
		encodeMinutesPerMonth: 30_000,
		storageBytes: 5_000 * GB,
		deliveryMinutesPerMonth: 2_000_000,
		apiKeys: 100,
		members: 250,
		requestsPerMinute: 6_000,
	},
	'self-hosted': {
		encodeMinutesPerMonth: null,
		storageBytes: null,
		deliveryMinutesPerMonth: null,
		apiKeys: null,
		members: null,
		requestsPerMinute: null,
	},
}
