import { expect, test } from 'vitest'
import { nameLanguages } from '../../../../edge/ai/subtitles/language-names.ts'

test.each([
	['en', 'English'],
	['de-AT', 'Österreichisches Deutsch'],
	['pt-BR', 'Português (Brasil)'],
	['ja', '日本語'],
	['ar', 'العربية'],
	['und', 'Subtitles'],
	['x-elvish', 'x-elvish'],
	['qaa', 'Qaa'],
])('names the language %s in its own language: %s', (language, name) => {
	expect(nameLanguages([language])).toEqual([name])
})

test('different languages never get the same name', () => {
	expect(nameLanguages(['en', 'en', 'de'])).toEqual(['English', 'English (en)', 'Deutsch'])
})
