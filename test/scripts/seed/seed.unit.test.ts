import { expect, test } from 'vitest'
import { findReasonNotToSeed } from '../../../scripts/seed/installation.ts'

const loopback = 'http://127.0.0.1:8787'
const defaults = { isProduction: false, isForced: false, hasOwnPassword: false }

test.each([
	['a local installation', loopback, {}, null],
	['one in production', loopback, { isProduction: true }, /production.*--force/],
	['one in production with a password', loopback, { isProduction: true, hasOwnPassword: true }, /--force/],
	['one in production, forced', loopback, { isProduction: true, isForced: true }, /--password/],
	['forced with a password', loopback, { isProduction: true, isForced: true, hasOwnPassword: true }, null],
	['one at another address', 'http://10.0.0.2:8787', {}, /--password/],
	['one at another address with a password', 'http://10.0.0.2:8787', { hasOwnPassword: true }, null],
])('npm run seed decides whether to seed %s', (_, url, changes, expected) => {
	const reason = findReasonNotToSeed(url, { ...defaults, ...changes })
	if (expected) expect(reason).toMatch(expected)
	else expect(reason).toBeNull()
})
