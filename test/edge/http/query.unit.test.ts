import { describe, expect, test } from 'vitest'
import { allOperations } from '#schema/contract/index.ts'
import { findOpenQuery } from '#schema/contract/kit/queries/open-queries.ts'
import { AppError } from '../../../edge/http/errors.ts'
import { parseQuery } from '../../../edge/http/query.ts'

/** Returns the message with which the query is rejected, or an empty text. */
function readProblem(id: string, query: string): string {
	const op = allOperations.find((candidate) => candidate.id === id)
	if (!op) throw new Error(`${id} does not exist`)
	try {
		parseQuery(op, `https://edge.test/?${query}`)
		return ''
	} catch (error) {
		if (error instanceof AppError) return error.message
		throw error
	}
}

describe('the query of a request', () => {
	test.each(allOperations.filter((op) => findOpenQuery(op) !== undefined).map(({ id }) => id))(
		'%s ignores an unknown parameter, even a repeated one',
		(id) => {
			expect(readProblem(id, 'zzzUnknown=1&zzzUnknown=2')).not.toContain('zzzUnknown')
		},
	)

	test('an open query still rejects a known parameter that is repeated', () => {
		expect(readProblem('listMemberCards', 'page=1&page=1')).toBe('page: must not be repeated')
	})

	test('the error for a very long unknown parameter is short', () => {
		expect(readProblem('getMe', `${'x'.repeat(10_000)}=1`).length).toBeLessThan(120)
	})

	test('a query without any parameter is accepted by an operation that takes none', () => {
		expect(readProblem('getMe', '&')).toBe('')
	})
})
