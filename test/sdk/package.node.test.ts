import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { execa } from 'execa'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { root } from '../../scripts/lib/root.ts'
import { Playhouse } from '../../sdk/src/index.ts'
import { openBrowser } from '../support/shared/chromium.ts'
import { type RunningWorker, startWorker } from '../support/shared/miniflare-worker.ts'
import { bundle, installSdk } from './packed-package.node.ts'

let folder: string
let worker: RunningWorker
let apiKey: string

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'playhouse-sdk-'))
	;[worker] = await Promise.all([startWorker(), installSdk(folder)])
	const { token, org } = await new Playhouse({ baseUrl: worker.url }).auth.signup({
		email: 'ada@example.org',
		password: 'correct horse battery',
		name: 'Ada',
	})
	const owner = new Playhouse({ baseUrl: worker.url, token })
	const scopes = ['read', 'write'] as const
	apiKey = (await owner.apiKeys.create({ orgId: org.id, name: 'test', scopes: [...scopes] })).key
})
afterAll(async () => {
	await worker?.dispose()
	await rm(folder, { recursive: true, force: true })
})

/** Calls the package like an ordinary program, and returns the results as JSON. */
const program = (apiKey: string) => `
import { call, createAsset, createClient, NotFoundError, Playhouse } from '@playhouse/sdk'
export async function run(baseUrl) {
	const playhouse = new Playhouse({ baseUrl, apiKey: '${apiKey}' })
	for (const title of ['One', 'Two', 'Three']) await playhouse.assets.create({ title })
	const titles = []
	for await (const { title } of playhouse.assets.list({ limit: 2, sort: '-created' })) titles.push(title)
	const options = { idempotencyKey: 'key' + Math.random() }
	const client = createClient({ baseUrl, apiKey: '${apiKey}' })
	const [first, second] = [await call(client, createAsset, { title: 'Four' }, options), await call(client, createAsset, { title: 'Four' }, options)]
	const error = await playhouse.assets.get({ assetId: 'ast_00000000000000000000000000' }).send().catch((error) => error)
	return JSON.stringify([titles.slice(0, 3), first.id === second.id, error instanceof NotFoundError, error.name, error.code])
}`
const expected = JSON.stringify([['Three', 'Two', 'One'], true, true, 'NotFoundError', 'not_found'])

/** The pinned Node.js, and the one that runs npm if it differs. */
const nodes = await Promise.all(
	[...new Set([process.execPath, '/usr/bin/node', '/usr/local/bin/node'])].map(async (path) => {
		const { stdout } = await execa(path, ['--version'], { reject: false })
		return { path, version: stdout ?? '' }
	}),
)

test.each(nodes.filter(({ version }) => Number(/^v(\d+)/.exec(version)?.[1]) >= 20))(
	'the packed SDK runs in Node $version',
	async ({ path }) => {
		const code = `${program(apiKey)}\nprocess.stdout.write(await run(process.argv[2]))`
		await writeFile(join(folder, 'program.mjs'), code)
		const { stdout } = await execa(path, ['program.mjs', worker.url], { cwd: folder })
		expect(stdout).toBe(expected)
	},
)

test('the packed SDK runs in workerd', async () => {
	const handler = 'export default { fetch: async (request) => new Response(await run(await request.text())) }'
	const script = await bundle(folder, `${program(apiKey)}\n${handler}`)
	const options = { modules: true, script, compatibilityDate: '2026-01-01' }
	const miniflare = new Miniflare(convertV4MiniflareOptions(options))
	onTestFinished(() => miniflare.dispose())
	const response = await miniflare.dispatchFetch('http://program/', { method: 'POST', body: worker.url })
	expect(await response.text()).toBe(expected)
})

test('the packed SDK runs in Chromium, on a page of another origin', { tags: 'chromium' }, async () => {
	const script = await bundle(folder, `${program(apiKey)}\nglobalThis.run = run`)
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

	test('the types accept valid calls and all examples, and reject wrong, missing and misspelled fields', async () => {
		const calls = await readFile(join(import.meta.dirname, 'types.fixture.txt'), 'utf8')
		const documents = await Promise.all(
			['docs/sdk.md', 'sdk/README.md'].map((path) => readFile(join(root, path), 'utf8')),
		)
		const examples = documents.flatMap((text) =>
			[...text.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code),
		)
		expect(examples).toHaveLength(7)
		const sources = [calls, ...examples].map((code, index) => ({ name: `code${index}.ts`, code }))
		for (const { name, code } of sources) await writeFile(join(folder, name), code)
		const types = join(root, 'node_modules', '@types')
		const flags = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']
		const target = [
			'--target',
			'es2022',
			'--module',
			'nodenext',
			'--lib',
			'es2022,dom,dom.iterable,dom.asynciterable',
		]
		const { stdout } = await execa(
			'tsc',
			[...flags, ...target, '--types', 'node', '--typeRoots', types, ...sources.map(({ name }) => name)],
			{
				cwd: folder,
				localDir: root,
				preferLocal: true,
				reject: false,
			},
		)
		expect(stdout).toBe('')
	})
})
