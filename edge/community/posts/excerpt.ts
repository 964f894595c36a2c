import { EXCERPT_GRAPHEMES } from '#schema/contract/community/member/posts.ts'

/** One grapheme can be a letter with thousands of accents, so the excerpt also ends here. */
const MAX_LENGTH = 10 * EXCERPT_GRAPHEMES

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Returns the first graphemes of a body. */
export function excerptPost(body: string): string {
	// No grapheme is shorter than one code unit.
	if (body.length <= EXCERPT_GRAPHEMES) return body
	let end = 0
	let count = 0
	// One more unit shows whether the last grapheme is whole.
	for (const { index, segment } of graphemes.segment(body.slice(0, MAX_LENGTH + 1))) {
		if (count++ === EXCERPT_GRAPHEMES || index + segment.length > MAX_LENGTH) break
		end = index + segment.length
	}
	return body.slice(0, end)
}
