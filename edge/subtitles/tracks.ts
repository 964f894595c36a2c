import type { PlayableRow } from '../assets/store.ts'
import { languageNames, UNKNOWN_LANGUAGE } from './language-names.ts'

/** Subtitles that viewers can choose. `key` is that of the WebVTT file. */
export type SubtitleTrack = { language: string; name: string; key: string; source: 'transcript' }

/** Returns the subtitles of a video, at most one track for each language. */
export function subtitleTracks({
	subtitlesKey,
	transcriptLanguage,
}: Pick<PlayableRow, 'subtitlesKey' | 'transcriptLanguage'>): SubtitleTrack[] {
	if (subtitlesKey === null) return []
	const language = transcriptLanguage ?? UNKNOWN_LANGUAGE
	const [name = language] = languageNames([language])
	return [{ language, name, key: subtitlesKey, source: 'transcript' }]
}
