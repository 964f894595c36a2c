import { type TierName, tiers } from '#schema/contract/accounts/tiers.ts'
import type { RateLimitPolicy, ShieldName } from '../../platform/env.ts'
import { tooManyRequestsError } from '../errors.ts'

/** The period of every counter in wrangler.toml. */
const WINDOW_SECONDS = 60

const tierLimits = (prefix: 'FREE' | 'PRO' | 'BUSINESS', tier: TierName) => {
	const all = tiers[tier].requestsPerMinute ?? 0
	return {
		[`SHIELD_${prefix}`]: all,
		[`SHIELD_${prefix}_CALLER`]: all / 2,
		[`SHIELD_${prefix}_SHARE`]: all / 10,
	}
}

/** How many requests each counter of wrangler.toml allows per window. The platform does not reveal its limits. */
export const requestLimits = {
	SHIELD_CREDENTIALS: 120,
	SHIELD_PUBLIC_WRITE: 600,
	SHIELD_PLAYER_EVENTS: 300,
	SHIELD_API_KEY: 600,
	...tierLimits('FREE', 'free'),
	...tierLimits('PRO', 'pro'),
	...tierLimits('BUSINESS', 'business'),
} as Record<ShieldName, number>

/** What a limit counts, as `RateLimit-Policy` names it, and as messages do. */
const counted: Record<RateLimitPolicy['scope'], string> = {
	address: 'from this address',
	'api-key': 'with this API key',
	caller: 'by this caller',
	organization: 'of this organization',
	members: 'by the members of this community',
}

/** Returns the value of `RateLimit-Policy`, as in draft-ietf-httpapi-ratelimit-headers. */
export const formatPolicies = (policies: readonly RateLimitPolicy[]): string =>
	policies
		.map(({ scope, counter }) => `"${scope}";q=${requestLimits[counter]};w=${WINDOW_SECONDS}`)
		.join(', ')

/** Returns the 429 of a limit. Only then is the number of remaining requests known: none. */
export const limitReachedError = ({ scope, counter }: RateLimitPolicy) =>
	tooManyRequestsError(
		WINDOW_SECONDS,
		`too many requests ${counted[scope]}: at most ${requestLimits[counter]} in ${WINDOW_SECONDS} seconds; try again in ${WINDOW_SECONDS} seconds`,
		{ ratelimit: `"${scope}";r=0;t=${WINDOW_SECONDS}` },
	)
