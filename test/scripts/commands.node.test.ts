import { readdirSync } from 'node:fs'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { proofs } from '../../scripts/prove/proofs.ts'

const run = (...args: string[]) =>
	execa(process.execPath, ['scripts/bootstrap.mjs', ...args], { reject: false })

/** Returns the programs of a family: files, and folders with a `main.ts`. */
const programs = (family: string): string[] =>
	readdirSync(`scripts/${family}`, { withFileTypes: true }).flatMap((entry) => {
		if (entry.isDirectory())
			return readdirSync(`scripts/${family}/${entry.name}`).includes('main.ts') ? [entry.name] : []
		return /^(main|proof|proofs)\.ts$/.test(entry.name) ? [] : [entry.name.replace(/\.ts$/, '')]
	})

test.each([
	['prove', [...programs('prove'), ...Object.keys(proofs)]],
	['bench', programs('bench')],
	['operate', programs('operate')],
])('npm run %s lists every command of its folder, and no other', async (family, names) => {
	const { stdout, exitCode } = await run(family)
	expect([...stdout.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name)).toEqual(names.toSorted())
	expect(exitCode).toBe(0)
})

test.each(['prove', 'bench', 'operate'])(
	'npm run %s with an unknown name lists the known ones',
	async (family) => {
		const { stderr, exitCode } = await run(family, 'nosuch')
		expect(stderr).toContain(`${family} has no command "nosuch"`)
		expect(exitCode).toBe(64)
	},
)

test.each([
	['prove', 'hostile', '--mutations N'],
	['prove', 'chaos', '--at-once N'],
	['bench', 'upload', '--size'],
	['operate', 'restore', '--into'],
])('npm run %s -- %s --help shows its options', async (family, name, option) => {
	const { stdout, exitCode } = await run(family, name, '--help')
	expect(stdout).toContain(option)
	expect(exitCode).toBe(0)
})

test('a proof rejects an invalid number before any test runs', async () => {
	const { stderr, exitCode } = await run('prove', 'hostile', '--mutations', 'none')
	expect(stderr).toBe('--mutations must be a whole number from 1; see --help.')
	expect(exitCode).toBe(2)
})
