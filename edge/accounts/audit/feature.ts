import { crons, type Feature } from '../../http/feature.ts'
import { auditPersonalData } from './personal-data.ts'
import { auditRoutes } from './routes.ts'
import { copyNewestHead, sealEntries } from './seal.ts'

export const auditFeature = {
	routes: auditRoutes,
	schedules: [
		{ cron: crons.eachMinute, name: 'seal the audit log', run: sealEntries },
		{ cron: crons.eachNight, name: 'copy the head of the audit log', run: copyNewestHead },
	],
	personalData: auditPersonalData,
} satisfies Feature
