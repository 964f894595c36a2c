import type { AudioInfo } from '#schema/contract/media-info.ts'
import { type AudioTrack, UNIT_SAMPLES } from '#schema/contract/tasks.ts'

/** A track as players name it. Names are unique, and one track is the default. */
export type NamedTrack = { id: string; language: string | null; title: string | null; isDefault: boolean }

const BITRATE_KBPS = 128
/** What Apple's guide has as the most for stereo; it is one for all rungs, the least as well. */
const MOST_KBPS = 160
const MAX_TRACKS = 16

/** The tracks that are kept: all of them, but for a file that has more than anyone chooses from. */
export const keptAudio = (audio: readonly AudioInfo[]): AudioInfo[] =>
	audio.filter(({ durationSec }) => durationSec > 0).slice(0, MAX_TRACKS)

/** Stereo, whatever it was: every player must find one it can play. */
export const trackOf = (source: AudioInfo, index: number, shownSec: number | null): AudioTrack => ({
	id: `a${index}`,
	source,
	bitrateKbps: BITRATE_KBPS,
	sampleRate: source.sampleRate === 44_100 ? 44_100 : 48_000,
	channels: 2,
	isCopied: canBeCopied(source, shownSec),
})

/**
 * What every player plays as it is, from the picture's first instant to its last: nothing would be gained by encoding it
 * again, and it is most of the work until a copied picture can be played.
 */
function canBeCopied(source: AudioInfo, shownSec: number | null): boolean {
	const { codec, profile, channels, sampleRate, bitrateKbps, startSec, clockSec, durationSec } = source
	const unitSec = UNIT_SAMPLES / sampleRate
	return (
		codec === 'aac' &&
		profile === 'LC' &&
		channels === 2 &&
		(sampleRate === 44_100 || sampleRate === 48_000) &&
		bitrateKbps !== null &&
		bitrateKbps <= MOST_KBPS &&
		clockSec === null &&
		startSec <= unitSec / 2 &&
		(shownSec === null || startSec + durationSec > shownSec - unitSec)
	)
}

export function nameTracks(audio: readonly AudioInfo[]): NamedTrack[] {
	const chosen = Math.max(
		0,
		audio.findIndex(({ isDefault }) => isDefault),
	)
	const taken = new Set<string>()
	return audio.map((info, index) => {
		const language = canonicalLanguage(info.language)
		const wished = plainText(info.title ?? '') || languageName(language) || `Track ${index + 1}`
		const title = firstFree(wished, taken)
		taken.add(title)
		return { id: `a${index}`, language, title, isDefault: index === chosen }
	})
}

function firstFree(wished: string, taken: ReadonlySet<string>): string {
	let name = wished
	for (let n = 2; taken.has(name); n++) name = `${wished} ${n}`
	return name
}

/** A quoted string of a playlist can hold neither quotes nor ends of lines, and escapes nothing. */
export const plainText = (text: string): string =>
	text
		.replaceAll('"', '”')
		.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
		.replace(/\s+/g, ' ')
		.trim()

/** Files say `ger`, playlists want `de`. */
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
