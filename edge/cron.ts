import { sweepDeletions } from './account-deletion/execution.ts'
import { forgetErasures } from './account-deletion/ledger.ts'
import { processDeletionReminders } from './account-deletion/reminders.ts'
import { deletionStore } from './account-deletion/store.ts'
import { forgetGrants } from './community/access/leftovers.ts'
import { handOverRemovals } from './community/communities/removal.ts'
import { repairCounters } from './community/counters/repair.ts'
import { checkDueDomains } from './community/domains/domains.ts'
import { forgetNotifications, handOverNews } from './community/notifications/tell.ts'
import { handOverUnindexed } from './community/search/index-content.ts'
import { forgetMachines } from './diagnostics/machines.ts'
import { forgetIdentityLeftovers } from './identity/leftovers.ts'
import { refusalStore } from './mail/refusal-store.ts'
import { mailStore } from './mail/store.ts'
import { forgetDeadLetters } from './platform/dead-letters.ts'
import type { Deps } from './platform/deps.ts'
import { idempotencyStore } from './platform/idempotency-store.ts'
import { forgetEvents, relayEvents } from './platform/outbox.ts'
import { handOverPurges } from './platform/storage-purge.ts'
import { forgetJobs, reapJobs } from './transcoding/reaper.ts'

type Task = { name: string; run(deps: Deps): Promise<unknown> }

/** Which tasks a cron expression of wrangler.toml starts. Every task may run twice, late, or not at all for a while. */
const tasks: Record<string, readonly Task[]> = {
	'* * * * *': [
		{ name: 'relay events', run: (deps) => relayEvents(deps, 'due') },
		{ name: 'purge storage', run: handOverPurges },
		{ name: 'reap jobs', run: reapJobs },
		{ name: 'tell members', run: handOverNews },
		{ name: 'index communities', run: handOverUnindexed },
		{ name: 'check domains', run: checkDueDomains },
	],
	'*/10 * * * *': [
		{ name: 'sweep deletions', run: sweepDeletions },
		{ name: 'remove communities', run: handOverRemovals },
		{ name: 'repair counters', run: repairCounters },
	],
	'0 8 * * *': [{ name: 'process deletion reminders', run: processDeletionReminders }],
	'17 3 * * *': [{ name: 'forget what is over', run: forgetWhatIsOver }],
}

export const cronExpressions = Object.keys(tasks)

async function forgetWhatIsOver(deps: Deps): Promise<void> {
	const { db, now } = deps
	await forgetIdentityLeftovers(db, now)
	await forgetMachines(deps)
	await forgetJobs(deps)
	await forgetGrants(deps)
	await forgetNotifications(deps)
	await idempotencyStore(db).forget(now)
	await forgetEvents(db, now)
	await mailStore(db).forget(now)
	await refusalStore(db).pruneReports(now)
	await forgetDeadLetters(db, now)
	await deletionStore(db).forgetAddresses(now)
	await forgetErasures(deps)
}

/** One task that fails does not keep the others from running; the run as a whole then counts as failed. */
export async function runScheduled(cron: string, deps: Deps): Promise<void> {
	const due = tasks[cron]
	if (!due) throw new Error(`no task for the cron expression ${cron}`)
	const failures: unknown[] = []
	for (const task of due) {
		try {
			await task.run(deps)
		} catch (error) {
			deps.log.error('scheduled task failed', error, { task: task.name, cron })
			failures.push(error)
		}
	}
	if (failures.length > 0) throw new AggregateError(failures, `${failures.length} scheduled tasks failed`)
}
