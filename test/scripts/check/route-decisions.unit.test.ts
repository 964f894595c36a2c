import { expect, test } from 'vitest'
import { findRouteProblems } from '../../../scripts/check/route-decisions.ts'

const path = 'edge/community/topics/manage-routes.ts'
const problemsIn = (...lines: string[]) => findRouteProblems([{ path, text: lines.join('\n') }])
const writeProblem = (line: number, name: string) =>
	`${path}:${line}: ${name} of a store is not a plain read; call it in a verb, or start the name of a read with list, find, count, search, is, has or read`
const errorProblem = (line: number, error: string) =>
	`${path}:${line}: ${error} is a decision; throw it in a verb`

test.each(['insert', 'put', 'removeMember', 'issue', 'hash', 'listen', 'exists'])(
	'the check of routes reports a direct call of %s on a store',
	(method) => {
		expect(problemsIn('', `await topicStore(deps.db).${method}(id)`)).toEqual([writeProblem(2, method)])
	},
)

test('the check of routes reports a store call across lines or through optional chaining', () => {
	expect(problemsIn('await topicStore(', '\tpick(deps),', ')', '\t.remove(id)')).toEqual([
		writeProblem(1, 'remove'),
	])
	expect(problemsIn('await topicStore(deps.db)?.remove(id)')).toEqual([writeProblem(1, 'remove')])
})

test.each([
	['a variable', 'const store = topicStore(deps.db)', 'await store.update(ref, change)'],
	['a variable with a type', 'const store: TopicStore = topicStore(deps.db)', 'return store.update(ref)'],
	[
		'a choice of stores',
		"const store = kind === 'a'",
		'? aStore(deps.db) : bStore(deps.db)',
		'store.update(1)',
	],
	['a reference to the method', 'const store = topicStore(deps.db)', 'const act = store.update'],
	['a property', 'const { list, update } = topicStore(deps.db)', 'await update(ref)'],
	['a renamed property', 'const { update: change } = topicStore(deps.db)', 'await change(ref)'],
])('the check of routes reports a write through %s', (_, ...lines) => {
	expect(problemsIn(...lines).join('\n')).toContain('update of a store is not a plain read')
})

test.each([
	'list',
	'listOfUser',
	'find',
	'findBalance',
	'count',
	'search',
	'isVisible',
	'hasRoom',
	'readState',
])('the check of routes accepts a call of %s on a store', (method) => {
	expect(
		problemsIn(
			'const store = topicStore(deps.db)',
			`await Promise.all([store.${method}(id), topicStore(deps.db).${method}(id)])`,
			`const { ${method}: found } = topicStore(deps.db)`,
		),
	).toEqual([])
})

test('the check of routes accepts methods of other variables, and comments and texts with a write', () => {
	expect(
		problemsIn(
			'const store = topicStore(deps.db)',
			'const rows = await store.list(id)',
			'headers.set(1)',
			'rows.map(view)',
			'// topicStore(deps.db).insert(row)',
			"const text = 'topicStore(deps.db).insert(row)'",
			'query.store.update(id)',
		),
	).toEqual([])
})

test('the check of routes reports an error that depends on stored data, even in a local function', () => {
	expect(
		problemsIn(
			"const topicNotFoundError = () => new AppError('not_found', 'no such topic')",
			'if (!row) throw topicNotFoundError()',
			"throw new AppError(taken ? 'conflict' : 'validation', 'taken')",
			'throw new AppError(code, message)',
		),
	).toEqual([
		errorProblem(1, 'an AppError not_found'),
		errorProblem(3, 'an AppError with a computed code'),
		errorProblem(4, 'an AppError with a computed code'),
	])
})

test('the check of routes reports an imported function that returns an error', () => {
	expect(
		problemsIn(
			"import { spaceNotFoundError } from '../not-found.ts'",
			'if (!row) throw spaceNotFoundError()',
		),
	).toEqual([errorProblem(2, 'spaceNotFoundError()')])
})

test.each(['validation', 'malformed', 'unsupported_media_type'])(
	'the check of routes accepts an AppError %s, directly and in a local function',
	(code) => {
		expect(
			problemsIn(
				`throw new AppError('${code}', \`page, \${name}: send only one\`)`,
				`function shapeError() { return new AppError(`,
				`'${code}', 'wrong', { cause: error }) }`,
				'throw shapeError()',
			),
		).toEqual([])
	},
)

test.each([
	['edge/accounts/orgs/routes.ts', true],
	['edge/watch/playback/viewer-routes.ts', true],
	['edge/video/uploads/tus/routes.ts', true],
	['edge/accounts/orgs/orgs.ts', false],
	['edge/http/test-routes/view.ts', false],
	['scripts/start/routes.ts', false],
])('the check of routes covers %s: %s', (file, isChecked) => {
	const text = 'orgStore(deps.db).insert(row)'
	expect(findRouteProblems([{ path: file, text }])).toHaveLength(isChecked ? 1 : 0)
})
