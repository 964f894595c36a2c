import { type RepairStep, repairSteps } from '#schema/contract/operations/rewind/repair-steps.ts'
import { billingStore } from '../../../accounts/billing/store.ts'
import { SECOND } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { executeReplayed, replayErasures } from '../../account-deletion/ledger/ledger.ts'
import { repairStore } from './repair-store.ts'
import type { StepPart } from './step-part.ts'
import { accessStore } from './steps/access-store.ts'
import { jobRepairStore } from './steps/job-repair-store.ts'
import { raiseSequences } from './steps/raise-sequences.ts'
import { reopenInstallation } from './steps/reopen.ts'
import { repeatRevocations } from './steps/repeat-revocations.ts'
import { sweepStorage } from './steps/sweep-storage.ts'

/** Requeues every running task. Machines may still hold later epochs, which must never be assigned again. */
const restartJobs: StepPart = async ({ db, now }) => ({
	cursor: null,
	changed: await jobRepairStore(db).raiseEpochs(now),
})

/**
 * Repeats the account deletions since the backup. If a long run ends early, the next one skips accounts that are
 * already deleted.
 */
const repeatErasures: StepPart = async (deps, _repair, cursor) => {
	const { requestIds, cursor: next } = await replayErasures(deps, cursor)
	for (const requestId of requestIds) await executeReplayed(deps, requestId)
	return { cursor: next, changed: requestIds.length }
}

/**
 * Ends every session, grant and code: the database can't know which of them were ended after the backup. Everyone signs in
 * again, and machines register again by themselves. Runs after the revocations: an isolate that has not noticed the restore
 * yet may accept a former password until they are repeated.
 */
const endAccess: StepPart = async ({ db, now }, _repair, cursor) => {
	const store = accessStore(db)
	const machines = cursor === null ? await store.raiseMachineVersions() : 0
	const { ended, lastUserId } = await store.endSome(Number(cursor ?? 0), now)
	const isLast = ended === 0 && lastUserId === null
	return { cursor: isLast ? null : String(lastUserId ?? cursor ?? 0), changed: machines + ended }
}

/** Makes every billing account due, so that purchases and cancellations since the backup are fetched again. */
const compareSubscriptions: StepPart = async ({ db, now }) => ({
	cursor: null,
	changed: await billingStore(db).makeAllDue(now),
})

/** Each part may run twice, because a run may die after it and before its progress is recorded. */
const parts: Record<RepairStep, StepPart> = {
	'raise-sequences': raiseSequences,
	'repeat-revocations': repeatRevocations,
	'repeat-erasures': repeatErasures,
	'restart-jobs': restartJobs,
	'compare-subscriptions': compareSubscriptions,
	'end-access': endAccess,
	reopen: reopenInstallation,
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
