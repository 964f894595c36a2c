/** A caption: plain text for a part of the video. */
export type Cue = { fromSec: number; toSec: number; text: string }

const TAG = /<[^>]*>/g
const entities: Record<string, string> = {
	amp: '&',
	lt: '<',
	gt: '>',
	nbsp: '\u00a0',
	lrm: '\u200e',
	rlm: '\u200f',
}

/** Returns the text of a WebVTT cue without its tags and entities. */
export const plainText = (cueText: string): string =>
	cueText.replaceAll(TAG, '').replaceAll(/&(\w+);/g, (entity, name: string) => entities[name] ?? entity)

export const cuesAt = (cues: readonly Cue[], sec: number): readonly Cue[] =>
	cues.filter(({ fromSec, toSec }) => fromSec <= sec && sec < toSec)
