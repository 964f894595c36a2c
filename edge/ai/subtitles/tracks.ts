import type { AssetRow, UploadedSubtitles } from '../../video/assets/store.ts'
import { nameLanguages, UNKNOWN_LANGUAGE } from './language-names.ts'

/** Subtitles that viewers can choose. `key` is that of the WebVTT file. */
export type SubtitleTrack = {
	language: string
	name: string
	key: string
	source: 'transcript' | UploadedSubtitles['source']
}

type SubtitledRow = Pick<AssetRow, 'subtitlesKey' | 'transcriptLanguage'> & {
	uploadedSubtitles: readonly UploadedSubtitles[]
}

/**
 * Lists the subtitles of a video, one track per language. Uploads take precedence over the transcript's, and these
 * over a translation.
 */
export function listSubtitleTracks({
	subtitlesKey,
	transcriptLanguage,
	uploadedSubtitles,
}: SubtitledRow): SubtitleTrack[] {
	const language = transcriptLanguage ?? UNKNOWN_LANGUAGE
	const isHidden =
		subtitlesKey === null ||
		uploadedSubtitles.some((each) => each.language === language && each.source === 'upload')
	const tracks = [
		...(isHidden
			? uploadedSubtitles
			: [
					{ language, key: subtitlesKey, source: 'transcript' as const },
					...uploadedSubtitles.filter((each) => each.language !== language),
				]),
	].toSorted((a, b) => (a.language < b.language ? -1 : 1))
	const names = nameLanguages(tracks.map((track) => track.language))
	return tracks.map((track, at) => ({ ...track, name: names[at] ?? track.language }))
}
