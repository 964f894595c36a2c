/** Tags of WebVTT and SRT. Other text with `<` is text, such as `1 < 2` and `<3`. */
const TAG = /<\/?[a-z][^<>]*>|<\/?>|<\d+:[\d:.]+>/gi
/** Commands of SSA that programs for SRT understand, such as `{\an8}` and `{i}`. */
const COMMAND = /\{\\[^{}]*\}|\{\/?[bius]\}/gi
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi
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

/** Returns the lines of plain text in a cue of WebVTT. */
export const textOfWebVtt = (lines: readonly string[]): string[] =>
	cleaned(withoutTags(lines).map((line) => line.replaceAll(ENTITY, characterOf)))

/** Returns the lines of plain text in a subtitle of an SRT file, which has no escapes. */
export const textOfSubRip = (lines: readonly string[]): string[] =>
	cleaned(withoutTags(lines).map((line) => line.replaceAll(COMMAND, '')))

/** A tag may span two lines. */
const withoutTags = (lines: readonly string[]): string[] => lines.join('\n').replaceAll(TAG, '').split('\n')

const cleaned = (lines: readonly string[]): string[] =>
	lines.map((line) => line.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ').trim()).filter((line) => line !== '')

function characterOf(entity: string, decimal?: string, hex?: string, name = ''): string {
	if (decimal === undefined && hex === undefined) return entities.get(name) ?? entity
	const codePoint = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
	const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff
	return codePoint > 0 && codePoint <= 0x10ffff && !isSurrogate ? String.fromCodePoint(codePoint) : '\ufffd'
}
