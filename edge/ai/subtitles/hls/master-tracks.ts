import type { SubtitleTrack } from '../tracks.ts'

const GROUP = 'subtitles'
/** Marks the subtitles as a transcription of speech. The value for sounds and music would promise too much. */
const TRANSCRIBES = 'public.accessibility.transcribes-spoken-dialog'
/** Marks a machine translation (draft-pantos-hls-rfc8216bis). */
const IS_MACHINE_MADE = 'public.machine-generated'
const VARIANT = /^#EXT-X-STREAM-INF:/
const PLAYLIST_NAME = /^[\w-]+\.m3u8$/

/**
 * Adds subtitles to a master playlist. Their segments match those of the first variant, whose playlist is part of
 * their URI. The URI has a language and no version, so an old playlist leads to the current subtitles.
 */
export function addSubtitleTracks(master: string, tracks: readonly SubtitleTrack[]): string {
	const lines = master.split('\n')
	const first = lines.findIndex((line) => VARIANT.test(line))
	const pictures = lines[first + 1] ?? ''
	if (first < 0 || tracks.length === 0 || !PLAYLIST_NAME.test(pictures)) return master
	const media = tracks.map(
		({ language, name, source }) =>
			`#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="${GROUP}",NAME="${name.replace(/["\r\n]/g, '')}",LANGUAGE="${language}",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,CHARACTERISTICS="${source === 'translation' ? IS_MACHINE_MADE : TRANSCRIBES}",URI="subtitles/${language}/${pictures}"`,
	)
	return lines
		.toSpliced(first, 0, ...media)
		.map((line) => (VARIANT.test(line) ? `${line},SUBTITLES="${GROUP}"` : line))
		.join('\n')
}
