import { crons, type Feature } from '../../http/feature.ts'
import { sweepByQueue } from '../../platform/work/sweep.ts'
import { subtitlesPersonalData } from './personal-data.ts'
import { deleteSubtitlesStatements } from './removal-store.ts'
import { subtitleRoutes } from './routes.ts'
import { isTranslating, translationSweep } from './translations/store.ts'
import { consumeTranslation } from './translations/translate.ts'

export const subtitlesFeature = {
	routes: subtitleRoutes,
	consumers: { 'subtitles.translate': consumeTranslation },
	schedules: [{ cron: crons.eachMinute, name: 'resume-translations', ...sweepByQueue([translationSweep]) }],
	personalData: subtitlesPersonalData,
	deleteOfAssetStatements: deleteSubtitlesStatements,
	isAssetBusy: isTranslating,
} satisfies Feature
