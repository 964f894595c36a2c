import { crons, type Feature } from '../../http/feature.ts'
import { subtitlesPersonalData } from './personal-data.ts'
import { deleteSubtitlesStatements } from './removal-store.ts'
import { subtitleRoutes } from './routes.ts'
import { consumeTranslation, sweepTranslations } from './translations/translate.ts'

export const subtitlesFeature = {
	routes: subtitleRoutes,
	consumers: { 'subtitles.translate': consumeTranslation },
	schedules: [{ cron: crons.eachMinute, name: 'resume-translations', run: sweepTranslations }],
	personalData: subtitlesPersonalData,
	deleteOfAssetStatements: deleteSubtitlesStatements,
} satisfies Feature
