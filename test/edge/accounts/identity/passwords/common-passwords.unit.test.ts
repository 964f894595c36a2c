import { expect, test } from 'vitest'
import {
	isCommonPassword,
	readCommonHashes,
} from '../../../../../edge/accounts/identity/passwords/common-passwords.ts'
import { COMMON_PASSWORDS } from '../../../../../edge/accounts/identity/passwords/common-passwords-packed.ts'

test('the list of common passwords has 99,997 sorted hashes in less than 300 KB', () => {
	const hashes = readCommonHashes()
	expect(hashes).toHaveLength(99_997)
	for (let i = 1; i < hashes.length; i++)
		if (Number(hashes[i - 1]) >= Number(hashes[i])) throw new Error(`hash ${i} is out of order`)
	// One wrongly decoded delta would move all later hashes, and so the last one.
	expect(hashes.at(-1)).toBeGreaterThan(2 ** 32 - 1_000_000)
	expect(COMMON_PASSWORDS.length).toBeLessThan(300_000)
})

test('the list of common passwords contains its most and least common one in any letter case', async () => {
	for (const password of ['password', '12345678', 'PassWord1', 'qwertyuiop', 'iloveyou1', 'tromboni'])
		expect(await isCommonPassword(password), password).toBe(true)
	expect(await isCommonPassword('ｐａｓｓｗｏｒｄ'), 'in full-width letters').toBe(true)
})

test('the list of common passwords contains at most two of 5,000 uncommon passwords', async () => {
	let found = 0
	for (let i = 0; i < 5_000; i++) if (await isCommonPassword(`nobody uses ${i}`)) found++
	expect(found).toBeLessThanOrEqual(2)
})
