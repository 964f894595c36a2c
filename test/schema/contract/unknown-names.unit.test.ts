import { expect, test } from 'vitest'
import { unknownNames } from '../../../schema/contract/kit/bodies/unknown-names.ts'

const known = ['limit', 'cursor', 'email', 'ssoUserId', 'role', 'status', 'q']

test.each([
	['emial', 'email'],
	['e-mail', 'email'],
	['sso_user_id', 'ssoUserId'],
	['Limit', 'limit'],
	['roles', 'role'],
])('the error for the unknown name %j suggests %j', (name, meant) => {
	expect(unknownNames('parameter', [name], known)).toBe(`unknown parameter ${name}; did you mean ${meant}`)
})

test.each(['emial_address', 'per_page', 'x'])(
	'the error for the unknown name %j suggests nothing',
	(name) => {
		expect(unknownNames('field', [name], known)).toBe(`unknown field ${name}`)
	},
)

test('the error for an unknown parameter without a similar name lists all parameters', () => {
	expect(unknownNames('parameter', ['x'], ['q', 'limit'])).toBe('unknown parameter x; known are q, limit')
})

test('a long unknown name is truncated before it is compared or shown', () => {
	expect(unknownNames('field', ['x'.repeat(100_000)], known)).toBe(`unknown field ${'x'.repeat(40)}`)
})
