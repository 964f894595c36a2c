import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { execa } from 'execa'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { root } from '../../scripts/lib/root.ts'
import { openBrowser } from '../support/shared/chromium.ts'
import { type RunningWorker, startWorker } from '../support/shared/miniflare-worker.ts'
import { readExamples } from './documents.node.ts'
import { bundle, installSdk } from './packed-package.node.ts'
import { callingProgram, createKey, expected, runCalls, runUpload } from './programs.node.ts'

let folder: string
let worker: RunningWorker
let apiKey: string

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'playhouse-sdk-'))
	;[worker] = await Promise.all([startWorker(), installSdk(folder)])
	apiKey = await createKey(worker.url)
})
afterAll(async () => {
	await worker?.dispose()
	await rm(folder, { recursive: true, force: true })
})

/** The pinned Node.js, and the one that runs npm if it differs. */
const nodes = await Promise.all(
	[...new Set([process.execPath, '/usr/bin/node', '/usr/local/bin/node'])].map(async (path) => {
		const { stdout } = await execa(path, ['--version'], { reject: false })
		return { path, version: stdout ?? '' }
	}),
)

test.each(nodes.filter(({ version }) => Number(/^v(\d+)/.exec(version)?.[1]) >= 20))(
	'the packed SDK calls the API and uploads a file in Node $version',
	async ({ path }) => {
		expect(await runCalls([path], folder, worker.url, apiKey)).toBe(expected)
		expect(await runUpload([path], folder, worker, apiKey)).toBe(true)
	},
)

test('the packed SDK runs in workerd', async () => {
	const handler = 'export default { fetch: async (request) => new Response(await run(await request.text())) }'
	const script = await bundle(folder, `${callingProgram(apiKey)}\n${handler}`)
	const options = { modules: true, script, compatibilityDate: '2026-01-01' }
	const miniflare = new Miniflare(convertV4MiniflareOptions(options))
	onTestFinished(() => miniflare.dispose())
	const response = await miniflare.dispatchFetch('http://program/', { method: 'POST', body: worker.url })
	expect(await response.text()).toBe(expected)
})

test('the packed SDK runs in Chromium, on a page of another origin', { tags: 'chromium' }, async () => {
	const script = await bundle(folder, `${callingProgram(apiKey)}\nglobalThis.run = run`)
	const site = createServer((_, response) =>
		response.setHeader('content-type', 'text/html').end('<!doctype html>'),
	)
	await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
	const browser = await openBrowser()
	onTestFinished(async () => {
		await browser.close()
		site.close()
	})
	const page = await browser.newPage()
	await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
	await page.addScriptTag({ content: script, type: 'module' })
	const run = (url: string) => (Reflect.get(globalThis, 'run') as (url: string) => Promise<string>)(url)
	await page.waitForFunction('globalThis.run')
	expect(await page.evaluate(run, worker.url)).toBe(expected)
})

const require = createRequire(import.meta.url)
const compilers = [require, createRequire(require.resolve('@arethetypeswrong/core/package.json'))].map(
	(require) => {
		const { version } = require('typescript/package.json') as { version: string }
		return { version, compiler: join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc') }
	},
)

describe('the package', () => {
	test('the package installs the command playhouse, with the licenses of what it bundles', async () => {
		const installed = join(folder, 'node_modules', '@playhouse', 'sdk')
		const { version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
		const { stdout } = await execa(join(folder, 'node_modules', '.bin', 'playhouse'), ['--version'])
		expect(stdout).toBe(version)
		const notices = await readFile(join(installed, 'dist', 'cli', 'THIRD-PARTY-NOTICES.txt'), 'utf8')
		for (const name of ['commander', '@clack/prompts', 'sisteransi'])
			expect(notices).toMatch(new RegExp(`^${name} [\\d.]+ \\(MIT\\)$`, 'm'))
	})

	const compress = (code: string) => gzipSync(code, { level: 9 }).length

	test('a client with twelve operations is at most 3 kB compressed', async () => {
		const names = `createClient, call, createAsset, getAsset, listAssets, updateAsset, deleteAsset, processAsset,
			createUploadUrl, completeUpload, getMe, listOrgs, listCollections, login`
		const code = `import { ${names} } from '@playhouse/sdk'; globalThis.all = [${names}]`
		expect(compress(await bundle(folder, code))).toBeLessThan(3_072)
	})

	test('the class with every operation is at most 12 kB compressed, without code of Node', async () => {
		const code = await bundle(folder, "export { Playhouse } from '@playhouse/sdk'")
		expect(compress(code)).toBeLessThan(12_288)
		expect(code).not.toContain('node:')
	})

	test('the package has at most 400 kB of declarations, and contains no sources or tests', async () => {
		const installed = join(folder, 'node_modules', '@playhouse', 'sdk')
		const files = (await readdir(installed, { recursive: true, withFileTypes: true })).filter((each) =>
			each.isFile(),
		)
		const declarations = files.filter(({ name }) => name.endsWith('.d.ts'))
		const texts = await Promise.all(
			declarations.map(({ parentPath, name }) => readFile(join(parentPath, name))),
		)
		expect(texts.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(400_000)
		const others = files.map(({ name }) => name).filter((name) => !/\.(js|d\.ts)$/.test(name))
		expect(others.toSorted()).toEqual(['LICENSE', 'README.md', 'THIRD-PARTY-NOTICES.txt', 'package.json'])
	})

	test.each(compilers)(
		'the types of TypeScript $version accept valid calls and all examples, and reject wrong, missing and misspelled fields',
		async ({ compiler }) => {
			const calls = await readFile(join(import.meta.dirname, 'types.fixture.txt'), 'utf8')
			const examples = await readExamples()
			expect(examples).toHaveLength(9)
			const sources = [calls, ...examples].map((code, index) => ({ name: `code${index}.ts`, code }))
			for (const { name, code } of sources) await writeFile(join(folder, name), code)
			const types = join(root, 'node_modules', '@types')
			const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']
			const lib = 'es2022,dom,dom.iterable,dom.asynciterable'
			const target = ['--target', 'es2022', '--module', 'nodenext', '--lib', lib]
			const names = sources.map(({ name }) => name)
			const args = [...strict, ...target, '--types', 'node', '--typeRoots', types, ...names]
			const { stdout } = await execa(process.execPath, [compiler, ...args], { cwd: folder, reject: false })
			expect(stdout).toBe('')
		},
	)
})
