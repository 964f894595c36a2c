import { expect, test } from 'vitest'
import { isNoModule, readTestArguments, unknownNames } from '../../../scripts/test/arguments.ts'

const everything = {
	isUnitOnly: false,
	needsPrograms: true,
	isWatching: false,
	isByTitle: false,
	names: [] as string[],
}
const unitOnly = { ...everything, isUnitOnly: true, needsPrograms: false }

test.each([
	['', everything],
	['--project unit', unitOnly],
	['--project unit test/edge/orgs', { ...unitOnly, names: ['test/edge/orgs'] }],
	['--project=unit -t name', { ...unitOnly, isByTitle: true }],
	['--project unit --project edge', { ...everything, needsPrograms: false }],
	['--watch --project unit orgs', { ...unitOnly, isWatching: true, names: ['orgs'] }],
	['--sequence.shuffle orgs', { ...everything, names: ['orgs'] }],
	['--changed', { ...everything, changedSince: 'HEAD' }],
	['--changed=main', { ...everything, changedSince: 'main' }],
	['--changed main', { ...everything, changedSince: 'main' }],
	['--sequence.seed=7 a.test.ts', { ...everything, names: ['a.test.ts'] }],
	[
		'--logHeapUsage edge/orgs -t a/b --project node',
		{ ...everything, isByTitle: true, names: ['edge/orgs'] },
	],
	['--exclude edge/orgs/orgs.edge.test.ts', everything],
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
