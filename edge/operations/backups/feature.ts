import { crons, type Feature } from '../../http/feature.ts'
import { continueDrill } from './drill/continue.ts'
import { sweepDrills } from './drill/start.ts'
import { deleteExpiredBackups } from './keep/delete.ts'
import { backupMetrics } from './metrics.ts'
import { backupsPersonalData } from './personal-data.ts'
import { backupRoutes } from './routes.ts'
import { continueBackup } from './run/continue.ts'
import { continueOverdueBackup, startDailyBackup, startMissedBackup, sweepBackups } from './start.ts'

export const backupsFeature = {
	routes: backupRoutes,
	consumers: { 'backup.continue': continueBackup, 'backup.drill': continueDrill },
	schedules: [
		{ cron: crons.eachMinute, name: 'continue-backups', run: continueOverdueBackup },
		{ cron: crons.eachTenMinutes, name: 'sweep-backups', run: sweepBackups },
		{ cron: crons.eachTenMinutes, name: 'start-missed-backup', run: startMissedBackup },
		{ cron: crons.eachTenMinutes, name: 'drill-backup', run: sweepDrills },
		{ cron: crons.eachNight, name: 'start-daily-backup', run: startDailyBackup },
	],
	prune: deleteExpiredBackups,
	metrics: backupMetrics,
	personalData: backupsPersonalData,
} satisfies Feature
