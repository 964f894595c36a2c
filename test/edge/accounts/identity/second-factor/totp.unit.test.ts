import { describe, expect, test } from 'vitest'
import {
	hashRecoveryCode,
	newRecoveryCodes,
} from '../../../../../edge/accounts/identity/second-factor/recovery-codes.ts'
import {
	buildOtpauthUrl,
	computeStep,
	computeTotpCode,
	encodeBase32,
} from '../../../../../edge/accounts/identity/second-factor/totp.ts'

const SECOND = 1000
/** The key of the test vectors of RFC 6238. */
const secret = Uint8Array.from('12345678901234567890', (digit) => digit.charCodeAt(0))

describe('codes of an authenticator app', () => {
	test.each([
		[59, '287082'],
		[1111111109, '081804'],
		[1111111111, '050471'],
		[1234567890, '005924'],
		[2000000000, '279037'],
		[20000000000, '353130'],
	])(
		'codes of an authenticator app equal the test vector of RFC 6238 at second %i',
		async (seconds, code) => {
			expect(await computeTotpCode(secret, computeStep(seconds * SECOND))).toBe(code)
		},
	)
})

test.each([
	['', ''],
	['f', 'MY'],
	['fo', 'MZXQ'],
	['foo', 'MZXW6'],
	['foob', 'MZXW6YQ'],
	['fooba', 'MZXW6YTB'],
	['foobar', 'MZXW6YTBOI'],
])('base32 of %o equals the test vector of RFC 4648 without padding', (text, encoded) => {
	expect(encodeBase32(new TextEncoder().encode(text))).toBe(encoded)
})

test('the otpauth URL escapes the address of the account', () => {
	expect(buildOtpauthUrl('MZXW6', 'Playhouse', 'a&b:c@example.org')).toBe(
		'otpauth://totp/Playhouse:a%26b%3Ac%40example.org?secret=MZXW6&issuer=Playhouse&algorithm=SHA1&digits=6&period=30',
	)
})

test('recovery codes are ten different ones, and similar characters may be confused', async () => {
	const { codes, hashes } = await newRecoveryCodes()
	expect(new Set(codes).size).toBe(10)
	for (const code of codes) expect(code).toMatch(/^([0-9a-hj-km-np-tv-z]{4}-){3}[0-9a-hj-km-np-tv-z]{4}$/)
	const typed = (codes[0] ?? '').toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'l')
	expect(await hashRecoveryCode(typed)).toBe(hashes[0])
	expect(await hashRecoveryCode(codes[1] ?? '')).not.toBe(hashes[0])
})
