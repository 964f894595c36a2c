import { crons, type Feature } from '../../http/feature.ts'
import { sweepByQueue } from '../../platform/work/sweep.ts'
import { consumeExecution } from './execute/execution.ts'
import { eraseManaged, managedSweep } from './execute/managed-people.ts'
import { readLastErasure } from './ledger/last-erasure.ts'
import { copyErasure, pruneErasures } from './ledger/ledger.ts'
import { accountDeletionPersonalData } from './personal-data.ts'
import { mailCancellation, mailCompletion, mailConfirmation } from './request/notices.ts'
import { claimReminders, processDeletionReminders, sendReminder } from './request/reminders.ts'
import { accountDeletionRoutes } from './routes.ts'
import { deletionStore, deletionSweep, reminderSweep } from './store.ts'

export const accountDeletionFeature = {
	routes: accountDeletionRoutes,
	consumers: {
		'deletion.claim_reminders': claimReminders,
		'deletion.remind': sendReminder,
		'deletion.execute': consumeExecution,
		'deletion.erase_managed': eraseManaged,
		'deletion.farewell': mailCompletion,
	},
	followers: {
		'account.deletion_requested': mailConfirmation,
		'account.deletion_cancelled': mailCancellation,
		'account.erased': copyErasure,
	},
	schedules: [
		{
			cron: crons.eachTenMinutes,
			name: 'execute-deletions',
			...sweepByQueue([deletionSweep, managedSweep, reminderSweep]),
		},
		{ cron: crons.eachMorning, name: 'send-deletion-reminders', run: processDeletionReminders },
	],
	async prune(deps) {
		await deletionStore(deps.db).pruneIpAddresses(deps.now)
		await pruneErasures(deps)
	},
	personalData: accountDeletionPersonalData,
	contributions: { readLastErasure },
} satisfies Feature
