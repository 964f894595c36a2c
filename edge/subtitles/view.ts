import type { SubtitleTrack } from './tracks.ts'

export const viewSubtitles = (tracks: readonly SubtitleTrack[]) => ({
	subtitles: tracks.map(({ language, name, source }) => ({ language, name, source })),
})
