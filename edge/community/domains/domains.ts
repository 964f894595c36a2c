import type { OrgCaller } from '../../http/caller.ts'
import { AppError, tooManyRequestsError } from '../../http/errors.ts'
import { MINUTE } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { lookUpTxt } from '../../platform/network/dns.ts'
import { runOrLog } from '../../platform/work/sweep.ts'
import { type DomainRow, domainStore } from './store.ts'
import { computeNextClaimCheck, judgeDomain, proofRecordName } from './verdict.ts'

const REQUEST_INTERVAL_MS = MINUTE
const CHECKS_AT_ONCE = 20
const CHECK_LEASE_MS = 10 * MINUTE

export async function requireDomain(
	{ db }: Deps,
	caller: OrgCaller,
	communityId: number,
): Promise<DomainRow> {
	const row = await domainStore(db).find(caller.org.id, communityId)
	if (!row)
		throw new AppError('not_found', 'the community does not exist or has no custom domain; set one first')
	return row
}

/** Looks up the TXT record and updates the claim by the verdict. */
async function check(deps: Deps, row: DomainRow): Promise<void> {
	const { db, now, log } = deps
	const store = domainStore(db)
	const lookup = await lookUpTxt(deps, proofRecordName(row.domain))
	if (lookup.kind === 'failed')
		log.warn('domain lookup failed', { communityId: row.id, reason: lookup.reason })
	const verdict = judgeDomain(
		{ ...row, verifiedAt: row.domainVerifiedAt, missingSince: row.domainMissingSince },
		lookup,
		now,
	)
	if (verdict.kind === 'unproved') return store.recordProblem(row, verdict, now)
	if (verdict.kind === 'lost') return store.endVerification(row, verdict.nextCheckAt, now)
	const values = lookup.kind === 'answer' ? lookup.values : []
	const next = {
		nextCheckAt: verdict.nextCheckAt,
		heldCheckAt: verdict.nextCheckIfHeldAt,
		lostCheckAt: computeNextClaimCheck(now, now),
	}
	await store.verify(row, values, next, now)
}

export async function checkDomainNow(deps: Deps, caller: OrgCaller, communityId: number): Promise<DomainRow> {
	const store = domainStore(deps.db)
	const row = await store.claimRequestedCheck(caller.org.id, communityId, REQUEST_INTERVAL_MS, deps.now)
	if (!row) {
		await requireDomain(deps, caller, communityId)
		throw tooManyRequestsError(
			REQUEST_INTERVAL_MS / 1_000,
			'the domain was checked within the last minute; try again in a minute',
		)
	}
	await check(deps, row)
	return requireDomain(deps, caller, communityId)
}

/** Checks claims and verified domains that are due. A failed check does not stop the others. */
export async function checkDueDomains(deps: Deps): Promise<void> {
	const due = await domainStore(deps.db).claimDue(CHECKS_AT_ONCE, CHECK_LEASE_MS, deps.now)
	await Promise.all(
		due.map((row) =>
			runOrLog(deps.log, 'domain check failed', { communityId: row.id }, () => check(deps, row)),
		),
	)
}
