import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findCues, toPlainText } from '../../../../../edge/web/player/captions/cues.ts'

test.each([
	['plain', 'plain'],
	['<v Ada><i>First</i> <c.loud>caption</c>', 'First caption'],
	['one <00:00:01.000>two', 'one two'],
	['two\nlines', 'two\nlines'],
	['1 &lt; 2 &amp;&amp; 3 &gt; 2', '1 < 2 && 3 > 2'],
	['&amp;lt;', '&lt;'],
	['a&nbsp;b &lrm;c&rlm;', 'a\u00a0b \u200ec\u200f'],
	['It&#39;s &quot;quoted&quot; &#x1F3AC; &apos;', 'It\'s "quoted" 🎬 \''],
	['&unknown; &constructor; &__proto__; & &;', '&unknown; &constructor; &__proto__; & &;'],
	['&#0; &#xD800; &#x110000; &#99999999999;', '\ufffd \ufffd \ufffd \ufffd'],
])('the caption cue %j has the text %j', (cue, text) => {
	expect(toPlainText(cue)).toBe(text)
})

test('any caption cue yields a text', () => {
	fc.assert(
		fc.property(
			fc.string({ unit: fc.constantFrom('<', '>', '&', ';', '#', 'x', 'a', '9', '/', ' ', 'lt') }),
			(cue) => {
				expect(toPlainText(cue)).toBeTypeOf('string')
			},
		),
	)
})

test('a caption cue is shown from its first moment until before its last', () => {
	const [first, second] = [
		{ fromSec: 1, toSec: 3, text: 'first' },
		{ fromSec: 2, toSec: 4, text: 'second' },
	]
	const cues = [first, second]
	expect(findCues(cues, 0.99)).toEqual([])
	expect(findCues(cues, 1)).toEqual([first])
	expect(findCues(cues, 2.5)).toEqual([first, second])
	expect(findCues(cues, 3)).toEqual([second])
	expect(findCues(cues, 4)).toEqual([])
})
