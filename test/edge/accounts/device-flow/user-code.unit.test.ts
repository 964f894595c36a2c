import { expect, test } from 'vitest'
import {
	formatUserCode,
	makeUserCode,
	parseUserCode,
} from '../../../../edge/accounts/device-flow/user-code.ts'

test('a device code has eight consonants without look-alikes, all equally often', () => {
	const counts = new Map<string, number>()
	for (let i = 0; i < 4_250; i++)
		for (const letter of makeUserCode()) counts.set(letter, (counts.get(letter) ?? 0) + 1)
	expect([...counts.keys()].toSorted().join('')).toBe('BCDFGHJKMNPQRTVWX')
	// 2,000 of each on average; the standard deviation is 43.
	for (const [letter, count] of counts)
		expect([letter, Math.abs(count - 2_000) < 350]).toEqual([letter, true])
})

test('a device code is accepted however a person types it', () => {
	const code = makeUserCode()
	for (const typed of [code, formatUserCode(code), code.toLowerCase(), ` ${[...code].join(' ')} `])
		expect(parseUserCode(typed)).toBe(code)
	for (const typed of ['', code.slice(1), `${code}B`, `${code.slice(1)}A`, `${code.slice(1)}ſ`])
		expect(parseUserCode(typed)).toBe(null)
})
