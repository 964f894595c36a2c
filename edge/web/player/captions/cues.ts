import { decodeEntity } from '#schema/contract/kit/webvtt-entity.ts'

/** A caption: plain text for a part of the video. */
export type Cue = { fromSec: number; toSec: number; text: string }

const TAG = /<[^<>]*>/g
const ENTITY = /&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi

/** Returns the text of a WebVTT cue without its tags and entities. */
export const toPlainText = (cueText: string): string =>
	cueText.replaceAll(TAG, '').replaceAll(ENTITY, decodeEntity)

export const findCues = (cues: readonly Cue[], sec: number): readonly Cue[] =>
	cues.filter(({ fromSec, toSec }) => fromSec <= sec && sec < toSec)
