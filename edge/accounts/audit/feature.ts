import { crons, type Feature } from '../../http/feature.ts'
import { auditPersonalData } from './personal-data.ts'
import { auditRoutes } from './routes.ts'
import { copyNewestHead, sealEntries } from './seal.ts'

export const auditFeature = {
	routes: auditRoutes,
	schedules: [
		{ cron: crons.eachMinute, name: 'seal-audit-log', run: sealEntries },
		{ cron: crons.eachNight, name: 'copy-audit-head', run: copyNewestHead },
	],
	personalData: auditPersonalData,
} satisfies Feature
