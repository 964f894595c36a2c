/** A caption: plain text for a part of the video. */
export type Cue = { fromSec: number; toSec: number; text: string }

const TAG = /<[^>]*>/g
const ENTITY = /&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi
/** Those of WebVTT, and those that programs for captions write for quotes. */
const entities = new Map([
	['amp', '&'],
	['lt', '<'],
	['gt', '>'],
	['quot', '"'],
	['apos', "'"],
	['nbsp', '\u00a0'],
	['lrm', '\u200e'],
	['rlm', '\u200f'],
])

/** Returns the text of a WebVTT cue without its tags and entities. */
export const plainText = (cueText: string): string =>
	cueText.replaceAll(TAG, '').replaceAll(ENTITY, (entity, decimal?: string, hex?: string, name = '') => {
		if (decimal !== undefined) return characterOf(Number(decimal))
		if (hex !== undefined) return characterOf(Number.parseInt(hex, 16))
		return entities.get(name) ?? entity
	})

/** Returns the replacement character for a number that stands for none. */
function characterOf(codePoint: number): string {
	const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff
	return codePoint > 0 && codePoint <= 0x10ffff && !isSurrogate ? String.fromCodePoint(codePoint) : '\ufffd'
}

export const cuesAt = (cues: readonly Cue[], sec: number): readonly Cue[] =>
	cues.filter(({ fromSec, toSec }) => fromSec <= sec && sec < toSec)
