import { DAY, HOUR, MINUTE } from '../../platform/clock.ts'
import type { TxtLookup } from '../../platform/network/dns.ts'

/** How long a verified domain may lack its record. */
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
	/** The record exists. The domain is verified, unless another community holds it and has its own record. */
	| { kind: 'proved'; nextCheckAt: number; nextCheckIfHeldAt: number | null }
	| { kind: 'unproved'; problem: Problem; missingSince: number | null; nextCheckAt: number | null }
	| { kind: 'lost'; nextCheckAt: number | null }

export const proofRecordValue = (proof: string): string => `playhouse-verification=${proof}`

export const proofRecordName = (domain: string): string => `_playhouse.${domain}`

/** Returns the next check of an unproved claim. The interval grows with its age, so that old claims need few lookups. */
export function computeNextClaimCheck(claimedAt: number, now: number): number | null {
	const age = Math.max(0, now - claimedAt)
	return age >= GIVE_UP_AFTER_MS ? null : now + Math.min(Math.max(age, FIRST_RETRY_MS), DAY)
}

/** Judges a claim by a DNS lookup. Only an answer counts against a domain; a failed resolver or name server does not. */
export function judgeDomain(claim: Claim, lookup: TxtLookup, now: number): Verdict {
	const isVerified = claim.verifiedAt !== null
	const whenUnproved = isVerified ? null : computeNextClaimCheck(claim.claimedAt, now)
	if (lookup.kind === 'failed') {
		const nextCheckAt = isVerified ? now + RETRY_MS : whenUnproved
		return { kind: 'unproved', problem: 'unreachable', missingSince: claim.missingSince, nextCheckAt }
	}
	if (lookup.values.includes(proofRecordValue(claim.proof))) {
		const nextCheckIfHeldAt = computeNextClaimCheck(claim.claimedAt, now)
		return { kind: 'proved', nextCheckAt: now + RECHECK_MS, nextCheckIfHeldAt }
	}
	const problem = lookup.values.length > 0 ? 'wrong_value' : 'missing'
	if (!isVerified) return { kind: 'unproved', problem, missingSince: null, nextCheckAt: whenUnproved }
	// A clock that was set back must not extend the three days.
	const missingSince = Math.min(claim.missingSince ?? now, now)
	if (now - missingSince >= LOST_AFTER_MS)
		return { kind: 'lost', nextCheckAt: computeNextClaimCheck(now, now) }
	return { kind: 'unproved', problem, missingSince, nextCheckAt: now + RECHECK_MISSING_MS }
}
