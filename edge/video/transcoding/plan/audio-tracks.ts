import type { AudioInfo } from '#schema/contract/video/media-info.ts'
import { type AudioTrack, UNIT_SAMPLES } from '#schema/contract/video/tasks.ts'
import type { NamedTrack } from '#schema/tables/video/job-plan.ts'

const BITRATE_KBPS = 128
/** The maximum for stereo in Apple's HLS authoring specification. All rungs share one bitrate. */
const MAX_COPY_KBPS = 160
const MAX_TRACKS = 16

/** Returns the tracks to keep, up to a limit that users can still choose from. */
export const selectAudio = (audio: readonly AudioInfo[]): AudioInfo[] =>
	audio.filter(({ durationSec }) => durationSec > 0).slice(0, MAX_TRACKS)

/** Plans a track. It is always stereo, which every player supports. */
export const planTrack = (source: AudioInfo, index: number, videoSec: number | null): AudioTrack => ({
	id: `a${index}`,
	source,
	bitrateKbps: BITRATE_KBPS,
	sampleRate: source.sampleRate === 44_100 ? 44_100 : 48_000,
	channels: 2,
	isCopied: canCopy(source, videoSec),
})

/**
 * Checks whether a track plays everywhere without encoding and covers the whole video. If the video is copied too,
 * encoding audio would be most of the work before playback starts.
 */
function canCopy(source: AudioInfo, videoSec: number | null): boolean {
	const { codec, profile, channels, sampleRate, bitrateKbps, startSec, clockSec, durationSec } = source
	const unitSec = UNIT_SAMPLES / sampleRate
	return (
		codec === 'aac' &&
		profile === 'LC' &&
		channels === 2 &&
		(sampleRate === 44_100 || sampleRate === 48_000) &&
		bitrateKbps !== null &&
		bitrateKbps <= MAX_COPY_KBPS &&
		clockSec === null &&
		startSec <= unitSec / 2 &&
		(videoSec === null || startSec + durationSec > videoSec - unitSec)
	)
}

export function nameTracks(audio: readonly AudioInfo[]): NamedTrack[] {
	const defaultIndex = Math.max(
		0,
		audio.findIndex(({ isDefault }) => isDefault),
	)
	const usedTitles = new Set<string>()
	return audio.map((info, index) => {
		const language = canonicalLanguage(info.language)
		const preferred =
			toPlainText(info.title ?? '') ||
			languageName(language) ||
			(audio.length === 1 ? 'Audio' : `Audio ${index + 1}`)
		const title = firstFree(preferred, usedTitles)
		usedTitles.add(title)
		return { id: `a${index}`, language, title, isDefault: index === defaultIndex }
	})
}

function firstFree(preferred: string, usedTitles: ReadonlySet<string>): string {
	let name = preferred
	for (let n = 2; usedTitles.has(name); n++) name = `${preferred} ${n}`
	return name
}

/** Removes quotes and line breaks; a quoted string in a playlist can't contain or escape them. */
export const toPlainText = (text: string): string =>
	text
		.replaceAll('"', '”')
		.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
		.replace(/\s+/g, ' ')
		.trim()

/** Converts a language code of a file (`ger`) to one for playlists (`de`). */
function canonicalLanguage(language: string | null): string | null {
	if (language === null || language === 'und') return null
	try {
		return Intl.getCanonicalLocales(language)[0] ?? null
	} catch {
		return null
	}
}

function languageName(language: string | null): string | null {
	if (language === null) return null
	const name = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }).of(language)
	return name ?? language
}
