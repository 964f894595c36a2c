import { expect, test } from 'vitest'
import { nearestName, unknownName } from '../../../schema/contract/kit/nearest-name.ts'

const known = ['limit', 'cursor', 'email', 'ssoUserId', 'role', 'status', 'q']

test.each([
	['emial', 'email'],
	['e-mail', 'email'],
	['sso_user_id', 'ssoUserId'],
	['Limit', 'limit'],
	['roles', 'role'],
	['emial_address', undefined],
	['per_page', undefined],
	['x', undefined],
	['', undefined],
])('the nearest known name of %j is %j', (name, nearest) => {
	expect(nearestName(name, known)).toBe(nearest)
})

test('a long foreign name is cut before it is compared or shown', () => {
	const message = unknownName('field', 'x'.repeat(100_000), known)
	expect(message).toBe(`unknown field ${'x'.repeat(64)}; known are ${known.join(', ')}`)
})

test('an object without fields is described as one', () => {
	expect(unknownName('field', 'a', [])).toBe('unknown field a; send none')
})
