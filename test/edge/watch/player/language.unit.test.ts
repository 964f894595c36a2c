import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PLAYER_LANGUAGES, type PlayerLanguage } from '#schema/contract/watch/player-page.ts'
import {
	chooseDirection,
	chooseLanguage,
	messagesIn,
	watchMessagesIn,
} from '../../../../edge/watch/player/language.ts'

test.each<[requested: string | null, accepted: string | null, language: string]>([
	[null, null, 'en'],
	[null, '', 'en'],
	[null, 'de', 'de'],
	[null, 'de-AT,de;q=0.9,en;q=0.8', 'de'],
	[null, 'pt-BR,pt;q=0.9,fr;q=0.5', 'pt'],
	[null, 'is,fr;q=0.5', 'fr'],
	[null, 'en;q=0.5, es;q=0.7', 'es'],
	[null, 'de;q=0, fr;q=0.1', 'fr'],
	[null, 'FR-ca', 'fr'],
	[null, 'de;q=x', 'de'],
	[null, 'is, eo;q=0.5', 'en'],
	[null, 'zh-Hant-TW', 'zh'],
	[null, '*', 'en'],
	['es', 'de', 'es'],
	['ES-mx', 'de', 'es'],
	['xx', 'de', 'de'],
	['constructor', null, 'en'],
	['', 'fr', 'fr'],
])(
	'the player language for %s in the address and %s in the browser is %s',
	(requested, accepted, language) => {
		expect(chooseLanguage(requested, accepted)).toBe(language)
	},
)

test('pages in Arabic, Persian and Hebrew are written from right to left, and no others', () => {
	expect(PLAYER_LANGUAGES.filter((language) => chooseDirection(language) === 'rtl')).toEqual([
		'ar',
		'fa',
		'he',
	])
	expect(PLAYER_LANGUAGES.toSorted()).toEqual(Object.keys(messagesIn).toSorted())
})

test('any Accept-Language header yields a language of the player', () => {
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

describe.each([
	['of the player', messagesIn],
	['of the watch page', watchMessagesIn],
])('the messages %s', (_, translations: Record<PlayerLanguage, object>) => {
	const { en, ...others } = translations

	test.each(Object.entries(others))(
		'the messages in %s have the same keys and placeholders as in English',
		(_, messages) => {
			expect(placeholdersOf(messages)).toEqual(placeholdersOf(en))
		},
	)

	test('the messages of the player are not empty and have no surrounding spaces', () => {
		const texts = Object.values(translations).flatMap((messages) => Object.values(messages))
		expect(texts.filter((text) => text === '' || text !== text.trim())).toEqual([])
	})

	test('translated messages of three or more words differ from the English ones', () => {
		const english = new Set(Object.values(en))
		const copied = Object.values(others)
			.flatMap((messages) => Object.values(messages))
			.filter((text) => english.has(text) && /\p{L}+\P{L}+\p{L}+\P{L}+\p{L}/u.test(text))
		expect(copied).toEqual([])
	})
})
