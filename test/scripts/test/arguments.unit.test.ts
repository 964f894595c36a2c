import { expect, test } from 'vitest'
import { isNoModule, readTestArguments, unknownNames } from '../../../scripts/test/arguments.ts'

test.each([
	['', { isUnitOnly: false, needsPrograms: true, isWatching: false, isByTitle: false, names: [] }],
	[
		'--project unit',
		{ isUnitOnly: true, needsPrograms: false, isWatching: false, isByTitle: false, names: [] },
	],
	[
		'--project unit test/edge/orgs',
		{
			isUnitOnly: true,
			needsPrograms: false,
			isWatching: false,
			isByTitle: false,
			names: ['test/edge/orgs'],
		},
	],
	[
		'--project=unit -t name',
		{ isUnitOnly: true, needsPrograms: false, isWatching: false, isByTitle: true, names: [] },
	],
	[
		'--project unit --project edge',
		{ isUnitOnly: false, needsPrograms: false, isWatching: false, isByTitle: false, names: [] },
	],
	[
		'--watch --project unit orgs',
		{ isUnitOnly: true, needsPrograms: false, isWatching: true, isByTitle: false, names: ['orgs'] },
	],
	[
		'--sequence.shuffle orgs',
		{ isUnitOnly: false, needsPrograms: true, isWatching: false, isByTitle: false, names: ['orgs'] },
	],
	[
		'--changed',
		{
			isUnitOnly: false,
			needsPrograms: true,
			isWatching: false,
			isByTitle: false,
			changedSince: 'HEAD',
			names: [],
		},
	],
	[
		'--changed=main',
		{
			isUnitOnly: false,
			needsPrograms: true,
			isWatching: false,
			isByTitle: false,
			changedSince: 'main',
			names: [],
		},
	],
	[
		'--changed main',
		{
			isUnitOnly: false,
			needsPrograms: true,
			isWatching: false,
			isByTitle: false,
			changedSince: 'main',
			names: [],
		},
	],
	[
		'--sequence.seed=7 a.test.ts',
		{ isUnitOnly: false, needsPrograms: true, isWatching: false, isByTitle: false, names: ['a.test.ts'] },
	],
	[
		'--logHeapUsage edge/orgs -t a/b --project node',
		{ isUnitOnly: false, needsPrograms: true, isWatching: false, isByTitle: true, names: ['edge/orgs'] },
	],
	[
		'--exclude edge/orgs/orgs.edge.test.ts',
		{ isUnitOnly: false, needsPrograms: true, isWatching: false, isByTitle: false, names: [] },
	],
])('reads npm test -- %s', (line, expected) => {
	const testFiles = ['test/edge/orgs/orgs.edge.test.ts']
	expect(readTestArguments(line.split(' ').filter(Boolean), testFiles)).toEqual(expected)
})

test.each([
	['schema/migrations/0031_disk.sql', true],
	['wrangler.toml', true],
	['edge/player/pages/embed.html', true],
	['edge/app.ts', false],
	['edge/web/player/style.css', false],
])('knows that %s is no module: %s', (path, expected) => {
	expect(isNoModule(path)).toBe(expected)
})

test('finds names that select no test file', () => {
	expect(unknownNames(['edge/orgs', 'edge/orgz'], ['test/edge/orgs/orgs.edge.test.ts'])).toEqual([
		'edge/orgz',
	])
})
