import { expect, test } from 'vitest'
import { parseLanguageTag } from '../../../../../edge/ai/providers/clients/language-tag.ts'

test.each([
	['english', 'en'],
	['English', 'en'],
	['en', 'en'],
	['en_us', 'en-US'],
	['pt-br', 'pt-BR'],
	['zh-hans', 'zh-Hans'],
	['haitian creole', 'ht'],
	['castilian', 'es'],
	['norwegian', 'no'],
	['nynorsk', 'nn'],
	['jw', 'jv'],
	['iw', 'he'],
	['cantonese', 'yue'],
])('the language name “%s” of an engine is mapped to %s', (text, tag) => {
	expect(parseLanguageTag(text)).toBe(tag)
})

test.each([[''], ['auto'], ['multi'], ['und'], ['whisper'], ['<b>'], [null], [7], ['en-'], ['e']])(
	'the engine output %j names no language',
	(text) => {
		expect(parseLanguageTag(text)).toBeNull()
	},
)
