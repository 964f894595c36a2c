import type { CommunityDomain } from '#schema/contract/community/manage/domains.ts'
import { toIso, toIsoOrNull } from '../../platform/clock.ts'
import type { DomainRow } from './store.ts'
import { LOST_AFTER_MS, type Problem, proofRecordName, proofRecordValue } from './verdict.ts'

const problems: Record<Problem, (name: string) => string> = {
	missing: (name) =>
		`there is no TXT record at ${name}; add it; a new record can take an hour to become visible`,
	wrong_value: (name) => `the TXT records at ${name} have other values; add a record with the value above`,
	unreachable: () =>
		'the name servers of the domain did not answer; the domain keeps its state, and the record will be looked up again',
	held: (name) =>
		`another community has verified this domain, and its TXT record is still at ${name}; remove that record to move the domain here`,
	taken_over: () =>
		'another community verified this domain while your TXT record was missing; to take the domain back, add your record again and remove the other one',
	lost: () =>
		'the TXT record was missing for 3 days, so the domain is no longer verified; add the record again',
}

export function viewDomain(row: DomainRow): CommunityDomain {
	const { domain, proof, domainVerifiedAt, domainMissingSince: missingSince } = row
	const name = proofRecordName(domain)
	return {
		domain,
		state: domainVerifiedAt === null ? 'unverified' : missingSince === null ? 'verified' : 'missing',
		record: { type: 'TXT', name, value: proofRecordValue(proof) },
		verifiedAt: toIsoOrNull(domainVerifiedAt),
		checkedAt: toIsoOrNull(row.domainCheckedAt),
		nextCheckAt: toIsoOrNull(row.domainCheckAt),
		lostAt: missingSince === null ? null : toIso(missingSince + LOST_AFTER_MS),
		problem: row.domainProblem && problems[row.domainProblem](name),
	}
}
