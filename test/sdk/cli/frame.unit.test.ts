import { describe, expect, test } from 'vitest'
import { allOperations } from '#schema/contract/index.ts'
import { chooseNextStep } from '../../../sdk/cli/commands/sign-in/request-key.ts'
import { composeApiRequest } from '../../../sdk/cli/commands/tools/api-request.ts'
import { chooseColors } from '../../../sdk/cli/frame/colors.ts'
import { describeFailure } from '../../../sdk/cli/frame/failure.ts'
import { escapeControls, printJson } from '../../../sdk/cli/frame/foreign-text.ts'
import { alignColumns } from '../../../sdk/cli/frame/records.ts'
import { CanceledError, ConnectionError, PlayhouseError } from '../../../sdk/src/errors.ts'

test('colors appear in a terminal only, and not with NO_COLOR or a dumb terminal', () => {
	const isColored = (isTerminal: boolean, env: NodeJS.ProcessEnv) =>
		chooseColors(isTerminal, env).red('x') !== 'x'
	expect(isColored(true, {})).toBe(true)
	expect(isColored(true, { NO_COLOR: '' })).toBe(true)
	expect(isColored(true, { NO_COLOR: '1' })).toBe(false)
	expect(isColored(true, { TERM: 'dumb' })).toBe(false)
	expect(isColored(false, {})).toBe(false)
	expect(isColored(false, { FORCE_COLOR: '1' })).toBe(true)
	expect(isColored(true, { FORCE_COLOR: '0' })).toBe(false)
})

describe('texts of others', () => {
	const title = 'a\u001b]0;title\u0007b\u009b2Jc\u202ed'

	test('control characters of a title are escaped in lines and in JSON', () => {
		expect(escapeControls(title)).toBe('a\\u001b]0;title\\u0007b\\u009b2Jc\\u202ed')
		expect(printJson({ title })).not.toMatch(/[\u009b\u202e]/)
		expect(JSON.parse(printJson({ title }))).toEqual({ title })
	})

	test('progress lines keep their colors, and no other control sequence', () => {
		expect(escapeControls('\u001b[31mred\u001b[39m\u001b[2J', { keepsColors: true })).toBe(
			'\u001b[31mred\u001b[39m\\u001b[2J',
		)
	})
})

test('columns are aligned, and lines are cut at the width of the terminal', () => {
	expect(
		alignColumns(
			[
				['id', 'title'],
				['ast_1', 'A long title'],
			],
			12,
		),
	).toEqual(['id     title', 'ast_1  A lon'])
})

test('each kind of error gets its exit code and one sentence', () => {
	const codes = [
		new PlayhouseError('x', { status: 401 }),
		new PlayhouseError('x', { status: 429, retryAfterSec: 3_600 }),
		new PlayhouseError('x', { status: 503 }),
		new PlayhouseError('x', { status: 409, code: 'request_in_flight' }),
		new PlayhouseError('x', { status: 409, code: 'conflict' }),
		new ConnectionError('x'),
		new CanceledError('x'),
		new TypeError('x'),
		new Error('x'),
	].map((error) => describeFailure(error).exitCode)
	expect(codes).toEqual([1, 75, 75, 75, 1, 75, 130, 2, 1])
	const full = Object.assign(new Error('ENOSPC: no space left on device'), {
		code: 'ENOSPC',
		path: '/a/film',
	})
	expect(describeFailure(full).message).toBe(
		"/a/film can't be written, because the disk is full; free some space",
	)
	expect(describeFailure(new PlayhouseError('x', { requestId: 'r1' })).message).toBe('x (request r1)')
})

test('a poll of a sign-in continues while the person decides and while the server is unavailable', () => {
	const error = (status: number, code: string | null) =>
		new PlayhouseError('x', { status, code: code as never })
	expect(chooseNextStep(error(400, 'authorization_pending'))).toBe('again')
	expect(chooseNextStep(error(400, 'slow_down'))).toBe('slower')
	expect(chooseNextStep(error(503, null))).toBe('again')
	expect(chooseNextStep(new ConnectionError('x'))).toBe('again')
	for (const code of ['access_denied', 'expired_token', 'invalid_grant'])
		expect(chooseNextStep(error(400, code))).toBeInstanceOf(Error)
})

describe('requests of playhouse api', () => {
	test('every operation of the contract can be called by method and path', () => {
		for (const { method, path } of allOperations) {
			const given = path.replace(/\{\w+\}/g, 'x')
			const { operation } = composeApiRequest(method, given, {})
			expect(operation[0]).toBe(`${method.toUpperCase()} ${given}`)
		}
	})

	test('fields go into the query of a GET and into the JSON body of other methods', () => {
		expect(composeApiRequest('get', '/v1/assets?limit=2', { field: ['q=a=b'] }).input).toEqual({
			q: 'a=b',
			limit: '2',
		})
		const { input } = composeApiRequest('PATCH', '/v1/x', { field: ['n=1'], jsonField: ['m=1', 'l=["a"]'] })
		expect(input).toEqual({ n: '1', m: 1, l: ['a'] })
	})

	test.each(['v1/assets', '/v1/../x', '/v1/%2E%2e/x', '/v1/a b', '/v1/./x', '/v1\\x', '.example.org/x'])(
		'the path %s is refused before a request',
		(path) => {
			expect(() => composeApiRequest('GET', path, {})).toThrow('the path')
		},
	)

	test('a method that does not exist, and a field without a name or with broken JSON, are refused', () => {
		expect(() => composeApiRequest('FETCH', '/v1/x', {})).toThrow('FETCH is no method')
		expect(() => composeApiRequest('POST', '/v1/x', { field: ['=x'] })).toThrow('a field has no name')
		expect(() => composeApiRequest('POST', '/v1/x', { jsonField: ['a=secret'] })).toThrow('not valid JSON')
	})
})
