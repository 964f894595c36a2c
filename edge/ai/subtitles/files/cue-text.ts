import { decodeEntity } from '#schema/contract/kit/webvtt-entity.ts'

/** Tags of WebVTT and SRT. Other text may contain `<`, such as `1 < 2` and `<3`. */
const TAG = /<\/?[a-z][^<>]*>|<\/?>|<\d+:[\d:.]+>/gi
/** SSA commands that SRT programs understand, such as `{\an8}` and `{i}`. */
const COMMAND = /\{\\[^{}]*\}|\{\/?[bius]\}/gi
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi

/** Returns the lines of plain text in a cue of WebVTT. */
export const parseWebVttText = (lines: readonly string[]): string[] =>
	cleaned(withoutTags(lines).map((line) => line.replaceAll(ENTITY, decodeEntity)))

/** Returns the lines of plain text in a subtitle of an SRT file, which has no escapes. */
export const parseSubRipText = (lines: readonly string[]): string[] =>
	cleaned(withoutTags(lines).map((line) => line.replaceAll(COMMAND, '')))

/** A tag may span two lines. */
const withoutTags = (lines: readonly string[]): string[] => lines.join('\n').replaceAll(TAG, '').split('\n')

const cleaned = (lines: readonly string[]): string[] =>
	lines.map((line) => line.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ').trim()).filter((line) => line !== '')
