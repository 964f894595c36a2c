import { expect, test } from 'vitest'
import { readTestArguments, unknownNames } from '../../../scripts/test/arguments.ts'

test.each([
	['', { isUnitOnly: false, isWatching: false, names: [] }],
	['--project unit', { isUnitOnly: true, isWatching: false, names: [] }],
	['--project unit test/edge/orgs', { isUnitOnly: true, isWatching: false, names: ['test/edge/orgs'] }],
	['--project=unit -t name', { isUnitOnly: true, isWatching: false, names: [] }],
	['--project unit --project edge', { isUnitOnly: false, isWatching: false, names: [] }],
	['--watch --project unit orgs', { isUnitOnly: true, isWatching: true, names: ['orgs'] }],
	['--sequence.shuffle orgs', { isUnitOnly: false, isWatching: false, names: ['orgs'] }],
	['--changed', { isUnitOnly: false, isWatching: false, changedSince: 'HEAD', names: [] }],
	['--changed=main', { isUnitOnly: false, isWatching: false, changedSince: 'main', names: [] }],
	['--changed main', { isUnitOnly: false, isWatching: false, changedSince: 'main', names: [] }],
	['--sequence.seed=7 a.test.ts', { isUnitOnly: false, isWatching: false, names: ['a.test.ts'] }],
])('reads npm test -- %s', (line, expected) => {
	expect(readTestArguments(line.split(' ').filter(Boolean))).toEqual(expected)
})

test('finds names that select no test file', () => {
	expect(unknownNames(['edge/orgs', 'edge/orgz'], ['test/edge/orgs/orgs.edge.test.ts'])).toEqual([
		'edge/orgz',
	])
})
