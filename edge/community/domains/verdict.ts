import { DAY, HOUR, MINUTE } from '../../platform/clock.ts'
import type { TxtLookup } from '../../platform/dns.ts'

/** How long a verified domain may be without its record. */
export const LOST_AFTER_MS = 3 * DAY
const RECHECK_MS = DAY
const RECHECK_MISSING_MS = 6 * HOUR
const RETRY_MS = HOUR
const FIRST_RETRY_MS = 10 * MINUTE
const GIVE_UP_AFTER_MS = 14 * DAY

export type Problem = 'missing' | 'wrong_value' | 'unreachable' | 'held' | 'taken_over' | 'lost'

type Claim = {
	proof: string
	claimedAt: number
	verifiedAt: number | null
	missingSince: number | null
}

type Verdict =
	/** The record is there: verified, unless another community holds the domain with a record of its own. */
	| { kind: 'proved'; nextCheckAt: number; nextCheckIfHeldAt: number | null }
	| { kind: 'unproved'; problem: Problem; missingSince: number | null; nextCheckAt: number | null }
	| { kind: 'lost'; nextCheckAt: number | null }

/** The value of the TXT record that proves a claim. */
export const recordValueOf = (proof: string): string => `playhouse-verification=${proof}`

export const recordNameOf = (domain: string): string => `_playhouse.${domain}`

/** When an unproved claim is looked at again: after as long as it is old, so that few lookups are made for many claims. */
export function nextCheckOfClaim(claimedAt: number, now: number): number | null {
	const age = Math.max(0, now - claimedAt)
	return age >= GIVE_UP_AFTER_MS ? null : now + Math.min(Math.max(age, FIRST_RETRY_MS), DAY)
}

/** What a lookup says about a claim. Only an answer counts against a domain: a resolver or name server that fails does not. */
export function judge(claim: Claim, lookup: TxtLookup, now: number): Verdict {
	const isVerified = claim.verifiedAt !== null
	const whenUnproved = isVerified ? null : nextCheckOfClaim(claim.claimedAt, now)
	if (lookup.kind === 'failed') {
		const nextCheckAt = isVerified ? now + RETRY_MS : whenUnproved
		return { kind: 'unproved', problem: 'unreachable', missingSince: claim.missingSince, nextCheckAt }
	}
	if (lookup.values.includes(recordValueOf(claim.proof))) {
		const nextCheckIfHeldAt = nextCheckOfClaim(claim.claimedAt, now)
		return { kind: 'proved', nextCheckAt: now + RECHECK_MS, nextCheckIfHeldAt }
	}
	const problem = lookup.values.length > 0 ? 'wrong_value' : 'missing'
	if (!isVerified) return { kind: 'unproved', problem, missingSince: null, nextCheckAt: whenUnproved }
	// A clock that was set back must not make the record missing for longer.
	const missingSince = Math.min(claim.missingSince ?? now, now)
	if (now - missingSince >= LOST_AFTER_MS) return { kind: 'lost', nextCheckAt: nextCheckOfClaim(now, now) }
	return { kind: 'unproved', problem, missingSince, nextCheckAt: now + RECHECK_MISSING_MS }
}
