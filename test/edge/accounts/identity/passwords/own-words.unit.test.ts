import { expect, test } from 'vitest'
import { isMadeOfOwnWords } from '../../../../../edge/accounts/identity/passwords/own-words.ts'

const ada = { email: 'ada.lovelace@analytical-engine.co.uk', name: 'Ada King-Noël' }

test.each([
	'ada.lovelace@analytical-engine.co.uk',
	'ADA.LOVELACE',
	'adalovelace',
	'lovelace1815',
	'Lovelace!!',
	'kingnoel',
	'Ada-King-1815',
	'noël 1815',
	'analytical1',
	'analytical.engine',
	'Playhouse2026',
])('the password %s is rejected as little more than its owner’s name or address', (password) => {
	expect(isMadeOfOwnWords(password, ada)).toBe(true)
})

test.each([
	'correct horse battery',
	'ada likes long walks',
	'the engine weaves patterns',
	'12345678',
	'wingnoel-candle',
])('the password %s is accepted as more than its owner’s name or address', (password) => {
	expect(isMadeOfOwnWords(password, ada)).toBe(false)
})

test('the password check ignores parts of an address or a name that are too short', () => {
	expect(isMadeOfOwnWords('abcdefgh', { email: 'a@b.c', name: 'A B' })).toBe(false)
	expect(isMadeOfOwnWords('abcdefgh', { email: '', name: '' })).toBe(false)
})
