import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chooseLanguage, messagesIn } from '../../../edge/player/language.ts'

test.each<[requested: string | null, accepted: string | null, language: string]>([
	[null, null, 'en'],
	[null, '', 'en'],
	[null, 'de', 'de'],
	[null, 'de-AT,de;q=0.9,en;q=0.8', 'de'],
	[null, 'pt-BR,pt;q=0.9,fr;q=0.5', 'fr'],
	[null, 'en;q=0.5, es;q=0.7', 'es'],
	[null, 'de;q=0, fr;q=0.1', 'fr'],
	[null, 'FR-ca', 'fr'],
	[null, 'de;q=x', 'de'],
	[null, 'ja, zh;q=0.5', 'en'],
	[null, '*', 'en'],
	['es', 'de', 'es'],
	['ES-mx', 'de', 'es'],
	['xx', 'de', 'de'],
	['constructor', null, 'en'],
	['', 'fr', 'fr'],
])('the language for %s in the address and %s in the browser is %s', (requested, accepted, language) => {
	expect(chooseLanguage(requested, accepted)).toBe(language)
})

test('any header leads to a language of the player', () => {
	fc.assert(
		fc.property(fc.option(fc.string({ unit: 'binary' })), fc.option(fc.string()), (requested, accepted) => {
			expect(Object.keys(messagesIn)).toContain(chooseLanguage(requested, accepted))
		}),
	)
})

const placeholdersIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted()
const placeholdersOf = (messages: object) =>
	Object.fromEntries(
		Object.entries(messages)
			.map(([name, text]) => [name, placeholdersIn(text)] as const)
			.toSorted(),
	)

test.each(Object.entries(messagesIn))(
	'the messages in %s are as many as in English, with the same values in them',
	(_, messages) => {
		expect(placeholdersOf(messages)).toEqual(placeholdersOf(messagesIn.en))
		expect(Object.values(messages).filter((text) => text === '' || text !== text.trim())).toEqual([])
	},
)

test('no message of three words is still in English', () => {
	const { en, ...others } = messagesIn
	const english = new Set<string>(Object.values(en))
	for (const messages of Object.values(others))
		expect(
			Object.values(messages).filter(
				(text) => english.has(text) && /\p{L}+\P{L}+\p{L}+\P{L}+\p{L}/u.test(text),
			),
		).toEqual([])
})
