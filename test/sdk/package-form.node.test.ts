import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installSdk, packSdk } from './packed-package.node.ts'

let folder: string
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'playhouse-form-'))
	await installSdk(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('publint finds no error and nothing to warn of in the package', async () => {
	const pkgDir = join(folder, 'node_modules', '@playhouse', 'sdk')
	// It suggests conditions of `imports` in place of the field `browser`. These would not resolve before the build.
	const { messages } = await publint({ pkgDir, pack: false, strict: true, level: 'warning' })
	expect(messages).toEqual([])
})

test('TypeScript finds the types of the package in each way of resolving modules', async () => {
	const tarball = createPackageFromTarballData(new Uint8Array(await readFile(await packSdk())))
	const analysis = await checkPackage(tarball)
	const problems = analysis.types ? analysis.problems : ['the package has no types']
	// `require` of a module works from Node 20.19 on, and TypeScript knows that only since 5.8.
	expect(problems).toEqual([
		expect.objectContaining({ kind: 'CJSResolvesToESM', entrypoint: '.', resolutionKind: 'node16-cjs' }),
	])
})

test('an installation of the package runs no script and brings no other package', async () => {
	const require = createRequire(join(folder, 'program.js'))
	const manifest = require(join(folder, 'node_modules', '@playhouse', 'sdk', 'package.json'))
	const installing = ['preinstall', 'install', 'postinstall', 'prepare']
	expect(Object.keys(manifest.scripts).filter((name) => installing.includes(name))).toEqual([])
	expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([])
	expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true })
})
