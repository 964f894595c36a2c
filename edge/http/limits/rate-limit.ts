import type { TierName } from '#schema/contract/accounts/tiers.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import type { Deps } from '../../platform/deps.ts'
import type { RateLimitPolicy, ShieldName } from '../../platform/env.ts'
import { toCallerNetwork } from '../../platform/network/network.ts'
import type { Caller } from '../caller.ts'
import { AppError } from '../errors.ts'
import { limitReachedError } from './rate-limit-policies.ts'

const shields = {
	credentials: 'SHIELD_CREDENTIALS',
	'public-write': 'SHIELD_PUBLIC_WRITE',
	'player-events': 'SHIELD_PLAYER_EVENTS',
} as const

const tierShields = {
	free: 'SHIELD_FREE',
	pro: 'SHIELD_PRO',
	business: 'SHIELD_BUSINESS',
	'self-hosted': null,
} as const satisfies Record<TierName, string | null>

/**
 * Limits requests by address with the platform's counters, which are approximate and per location but need no SQL.
 * They stop floods; password and code attempts are counted exactly, in the database.
 */
export async function enforceAddressLimit(op: Operation, deps: Deps, ip: string): Promise<void> {
	if (op.shield && op.shield !== 'api-key')
		await count(deps, { scope: 'address', counter: shields[op.shield] }, toCallerNetwork(ip))
}

/**
 * Authenticates the caller. Where keys have their own limits, a server may sign in thousands of people from one
 * address; only rejected credentials and password guesses count against the address.
 */
export async function enforceRefusalLimit<T>(op: Operation, deps: Deps, ip: string, admit: () => Promise<T>) {
	if (op.shield !== 'api-key') return admit()
	try {
		return await admit()
	} catch (error) {
		if (error instanceof AppError)
			await count(deps, { scope: 'address', counter: shields.credentials }, toCallerNetwork(ip))
		throw error
	}
}

/**
 * Counts a request against its caller, then against the budget of the organization's tier. A person or member may use
 * half of it. Each caller is guaranteed a tenth, even when the budget is used up. Community members have a separate
 * budget of the same size, so that they never block the organization's programs.
 */
export async function enforceCallerLimit(op: Operation, caller: Caller, deps: Deps): Promise<void> {
	// Uploads take many small requests, and clients give up at 429.
	if (caller.kind === 'machine' || caller.kind === 'upload') return
	if (op.shield === 'api-key' && caller.kind === 'key')
		return count(deps, { scope: 'api-key', counter: 'SHIELD_API_KEY' }, caller.keyId)
	const tier = caller.org && tierShields[caller.org.tier]
	if (!caller.org || !tier) return
	const id = `${caller.org.id}:${counterOf(caller)}`
	const budget = caller.kind === 'member' ? `${caller.org.id}:members` : caller.org.id
	// API keys may use the whole budget.
	if (caller.kind !== 'key') await count(deps, { scope: 'caller', counter: `${tier}_CALLER` }, `caller:${id}`)
	const policy = { scope: caller.kind === 'member' ? 'members' : 'organization', counter: tier } as const
	notePolicy(deps, policy)
	const [isWithinShare, isWithinBudget] = await Promise.all([
		isAllowed(deps, `${tier}_SHARE`, `share:${id}`),
		isAllowed(deps, tier, budget),
	])
	if (!isWithinShare && !isWithinBudget) throw limitReachedError(policy)
}

function counterOf(caller: Exclude<Caller, { kind: 'machine' | 'upload' }>): string {
	if (caller.kind === 'key') return `key:${caller.keyId}`
	// Impersonation must not use up the person's requests.
	const impersonation = caller.kind === 'person' ? caller.impersonation : null
	return impersonation ? `impersonation:${impersonation.id}` : `${caller.kind}:${caller.userId}`
}

async function count(deps: Deps, policy: RateLimitPolicy, key: string): Promise<void> {
	notePolicy(deps, policy)
	if (!(await isAllowed(deps, policy.counter, key))) throw limitReachedError(policy)
}

/** Records the limit for the response, unless the platform has no counter for it. */
function notePolicy(deps: Deps, policy: RateLimitPolicy): void {
	if (deps.env.bindings[policy.counter]) deps.rateLimitPolicies.push(policy)
}

/** Returns true on platforms without counters. */
async function isAllowed({ env }: Deps, name: ShieldName, key: string): Promise<boolean> {
	return (await env.bindings[name]?.limit({ key }))?.success ?? true
}
