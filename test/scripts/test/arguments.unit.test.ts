import { expect, test } from 'vitest'
import {
	buildVitestArguments,
	isInforming,
	listUnknownNames,
	readTestArguments,
	splitOwnOptions,
} from '../../../scripts/test/arguments.ts'

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
	['--project unit test/edge/accounts/orgs', { ...unitOnly, names: ['test/edge/accounts/orgs'] }],
	['--project=unit -t name', { ...unitOnly, isByTitle: true }],
	['--project unit --project edge', { ...everything, needsPrograms: false }],
	['--watch --project unit orgs', { ...unitOnly, isWatching: true, names: ['orgs'] }],
	['--sequence.shuffle orgs', { ...everything, names: ['orgs'] }],
	['--changed', { ...everything, changedSince: 'HEAD' }],
	['--changed=main', { ...everything, changedSince: 'main' }],
	['--changed main', { ...everything, changedSince: 'main' }],
	['--changed --bail=1', { ...everything, changedSince: 'HEAD' }],
	['--changed=HEAD orgs', { ...everything, changedSince: 'HEAD', names: ['orgs'] }],
	['-w orgs', { ...everything, isWatching: true, names: ['orgs'] }],
	['--sequence.seed=7 a.test.ts', { ...everything, names: ['a.test.ts'] }],
	[
		'--logHeapUsage edge/accounts/orgs -t a/b --project node',
		{ ...everything, isByTitle: true, names: ['edge/accounts/orgs'] },
	],
	['--exclude edge/accounts/orgs/orgs.edge.test.ts', everything],
])('npm test reads the arguments %s', (line, expected) => {
	const testFiles = ['test/edge/accounts/orgs/orgs.edge.test.ts']
	expect(readTestArguments(line.split(' ').filter(Boolean), testFiles)).toEqual(expected)
})

test.each([
	['./test/edge/accounts/orgs', '/repo', ['test/edge/accounts/orgs']],
	['../http orgs', '/repo/test/edge/audit', ['test/edge/http', 'orgs']],
	['/repo/test/edge/accounts/orgs', '/elsewhere', ['test/edge/accounts/orgs']],
	['-t /watch', '/repo', ['-t', '/watch']],
	['.', '/repo', []],
	['--root . orgs', '/repo', ['--root', '.', 'orgs']],
	['--changed=HEAD --changed=main orgs', '/repo', ['--changed=main', 'orgs']],
])('npm test passes %s, called in %s, to vitest', (line, cwd, expected) => {
	expect(buildVitestArguments(line.split(' '), '/repo', cwd)).toEqual(expected)
})

test.each([
	['--help', true],
	['test/edge -h', true],
	['--version', true],
	['test/edge/help', false],
])('npm test detects whether %s only prints something: %s', (line, expected) => {
	expect(isInforming(line.split(' '))).toBe(expected)
})

test('npm test finds names that select no test file', () => {
	expect(
		listUnknownNames(['edge/accounts/orgs', 'edge/orgz'], ['test/edge/accounts/orgs/orgs.edge.test.ts']),
	).toEqual(['edge/orgz'])
})

test('npm test does not pass its option --times to vitest', () => {
	expect(splitOwnOptions(['--times', '--project', 'unit'])).toEqual({
		ownOptions: ['--times'],
		others: ['--project', 'unit'],
	})
	expect(splitOwnOptions(['times'])).toEqual({ ownOptions: [], others: ['times'] })
})
