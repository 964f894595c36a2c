import type { Operation } from '#schema/contract/operation.ts'
import type { TierName } from '#schema/contract/tiers.ts'
import type { Deps } from '../platform/deps.ts'
import { networkOf } from '../platform/network.ts'
import type { Caller } from './caller.ts'
import { tooManyRequests } from './errors.ts'

const WINDOW_SECONDS = 60

const shields = {
	credentials: 'SHIELD_CREDENTIALS',
	'public-write': 'SHIELD_PUBLIC_WRITE',
} as const

const tierShields: Record<TierName, 'SHIELD_FREE' | 'SHIELD_PRO' | 'SHIELD_BUSINESS' | null> = {
	free: 'SHIELD_FREE',
	pro: 'SHIELD_PRO',
	business: 'SHIELD_BUSINESS',
	'self-hosted': null,
}

/**
 * The platform's own counters: per location and only roughly right, but free of SQL. They keep floods away;
 * what must be counted exactly (passwords, codes) is counted in the database.
 */
export async function shield(op: Operation, deps: Deps, ip: string): Promise<void> {
	if (op.shield) await ask(deps.env.bindings[shields[op.shield]], networkOf(ip))
}

/** Requests per minute of the organization's tier. */
export async function shieldOrg(caller: Caller, deps: Deps): Promise<void> {
	// An upload in many small steps is one thing, and clients give up at 429.
	if (caller.kind === 'machine' || caller.kind === 'upload' || !caller.org) return
	const name = tierShields[caller.org.tier]
	if (name) await ask(deps.env.bindings[name], caller.org.id)
}

async function ask(limiter: RateLimit | undefined, key: string): Promise<void> {
	if (!limiter) return
	const { success } = await limiter.limit({ key })
	if (!success) throw tooManyRequests(WINDOW_SECONDS)
}
