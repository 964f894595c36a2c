import type { SubtitleTrack } from './tracks.ts'
import type { TranslationRow } from './translations/store.ts'

export const viewSubtitles = (tracks: readonly SubtitleTrack[], translations: readonly TranslationRow[]) => ({
	subtitles: tracks.map(({ language, name, source }) => ({ language, name, source })),
	translations: translations.map(
		({ language, sourceLanguage, sourceKey, status, reason, cues, doneCues }) => ({
			...{ language, from: sourceLanguage, status, reason },
			progress: progressOf(status, doneCues, cues),
			isStale: !tracks.some(({ key }) => key === sourceKey),
		}),
	),
})

/** Returns whole percents. */
const progressOf = (status: TranslationRow['status'], done: number, all: number | null): number =>
	status === 'completed' ? 100 : Math.floor((100 * done) / Math.max(1, all ?? 1))
