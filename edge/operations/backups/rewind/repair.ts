import { type RepairStep, repairSteps } from '#schema/contract/operations/rewind/repair-steps.ts'
import { SECOND } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { repairStore } from './repair-store.ts'
import type { StepPart } from './step-part.ts'
import { compareSubscriptions } from './steps/compare-subscriptions.ts'
import { endAccess } from './steps/end-access.ts'
import { raiseSequences } from './steps/raise-sequences.ts'
import { reopen } from './steps/reopen.ts'
import { repeatErasures } from './steps/repeat-erasures.ts'
import { repeatRevocations } from './steps/repeat-revocations.ts'
import { restartJobs } from './steps/restart-jobs.ts'
import { sweepStorage } from './steps/sweep-storage.ts'

/** Each part may run twice, because a run may die after it and before its progress is recorded. */
const parts: Record<RepairStep, StepPart> = {
	'raise-sequences': raiseSequences,
	'repeat-revocations': repeatRevocations,
	'repeat-erasures': repeatErasures,
	'restart-jobs': restartJobs,
	'compare-subscriptions': compareSubscriptions,
	'end-access': endAccess,
	reopen,
	'sweep-storage': sweepStorage,
}

const doneMessages: Record<RepairStep, string> = {
	'raise-sequences': 'raised the sequences, so that no id is used twice',
	'repeat-revocations': 'repeated the revocations since the backup',
	'repeat-erasures': 'repeated the account deletions since the backup',
	'restart-jobs': 'took every running task from its machine',
	'compare-subscriptions': 'made every subscription due for a comparison with Stripe',
	'end-access': 'ended every session and raised the versions of all tokens',
	reopen: 'the database is repaired; requests are served again',
	'sweep-storage': 'scheduled the deletion of stored objects that no row refers to',
}

/** Longer than a part takes. A run that died is continued after this time. */
const LEASE_MS = 55 * SECOND
const RUN_MS = 40 * SECOND
/** D1 allows 1,000 queries per invocation. */
const MAX_STATEMENTS = 600

/** Continues an unfinished repair. The next run continues where this one ends. Returns false if there is none. */
export async function runRepair(deps: Deps): Promise<boolean> {
	const { db, clock, log, statements } = deps
	const store = repairStore(db)
	const endsAt = clock() + RUN_MS
	let repair = await store.claim(clock(), clock() + LEASE_MS)
	if (!repair) return false
	let held = repair
	try {
		while (repair?.step && clock() < endsAt && statements.count < MAX_STATEMENTS) {
			const { step } = repair
			const { cursor, changed } = await parts[step](deps, repair, repair.cursor)
			const next = cursor === null ? stepAfter(step) : step
			const progress = { step: next, cursor, changed, leaseUntil: clock() + LEASE_MS }
			repair = await store.advance(repair, progress, deps.now)
			if (!repair) break
			held = repair
			if (next !== step)
				log.warn(`after a restore: ${doneMessages[step]}`, { changed: repair.counts[step] ?? 0 })
		}
	} finally {
		await store.release(held)
	}
	return true
}

const stepAfter = (step: RepairStep): RepairStep | null => repairSteps[repairSteps.indexOf(step) + 1] ?? null
