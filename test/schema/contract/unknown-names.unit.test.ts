import { expect, test } from 'vitest'
import { describeUnknownNames } from '../../../schema/contract/kit/bodies/unknown-names.ts'

const known = ['limit', 'cursor', 'email', 'ssoUserId', 'role', 'status', 'q']

test.each([
	['emial', 'email'],
	['e-mail', 'email'],
	['sso_user_id', 'ssoUserId'],
	['Limit', 'limit'],
	['roles', 'role'],
])('the error for the unknown name %j suggests %j', (name, meant) => {
	expect(describeUnknownNames('parameter', [name], known)).toBe(
		`unknown parameter ${name}; did you mean ${meant}`,
	)
})

test.each(['emial_address', 'per_page', 'x'])(
	'the error for the unknown name %j suggests nothing',
	(name) => {
		expect(describeUnknownNames('field', [name], known)).toBe(`unknown field ${name}`)
	},
)

test('the error for an unknown parameter without a similar name lists all parameters', () => {
	expect(describeUnknownNames('parameter', ['x'], ['q', 'limit'])).toBe(
		'unknown parameter x; known are q, limit',
	)
})

test('a long unknown name is truncated before it is compared or shown', () => {
	expect(describeUnknownNames('field', ['x'.repeat(100_000)], known)).toBe(`unknown field ${'x'.repeat(40)}`)
})

test('the error for a parameter of an operation without a query says that it takes none', () => {
	expect(describeUnknownNames('parameter', ['x'], [])).toBe(
		'unknown parameter x; this operation takes no query parameters',
	)
})
