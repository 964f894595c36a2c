import { appendFile, cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../../scripts/lib/root.ts'
import { launchCommand } from '../../support/node/playhouse-process.ts'
import { temporaryDirectory } from '../../support/node/temporary-directory.ts'

const pollOptions = { timeout: 90_000, interval: 100 }
const copiedPaths = [
	'edge',
	'schema',
	'scripts',
	'transcoder-daemon',
	'package.json',
	'package-lock.json',
	'tsconfig.base.json',
	'wrangler.toml',
]

/** Copies the tree, because this test changes it while others run. */
async function copyTree(): Promise<string> {
	const tree = await temporaryDirectory()
	for (const name of copiedPaths) await cp(join(root, name), join(tree, name), { recursive: true })
	await symlink(join(root, 'node_modules'), join(tree, 'node_modules'))
	return tree
}

async function develop(tree: string) {
	const dev = launchCommand(tree, 'dev', { DATA_DIR: join(tree, 'data'), LOG_FORMAT: 'json' }, '--no-daemon')
	onTestFinished(async () => {
		dev.kill('SIGTERM')
		await dev.exitCode
	})
	const url = await dev.url
	await expect.poll(dev.output, pollOptions).toContain('Watching')
	return { dev, url }
}

test('npm run dev reloads changed files, keeps the previous version after a build error, and keeps data', async () => {
	const tree = await copyTree()
	const { dev, url } = await develop(tree)
	const post = (path: string, body: object) =>
		fetch(url + path, {
			method: 'POST',
			body: JSON.stringify(body),
			headers: { 'content-type': 'application/json' },
		})
	const person = { email: 'first@example.com', password: 'correct-horse-battery', name: 'First' }
	expect((await post('/v1/auth/signup', person)).status).toBe(201)

	// The Worker.
	const app = join(tree, 'edge', 'http', 'html', 'not-found.ts')
	const source = await readFile(app, 'utf8')
	const changed = source.replace(
		"new AppError('not_found', 'not found')",
		"new AppError('not_found', 'not here')",
	)
	const readError = async () => ((await (await fetch(`${url}/v1/nowhere`)).json()) as { error: string }).error
	const readErrorOrStarting = () => readError().catch(() => 'starting')
	await writeFile(app, changed)
	await expect.poll(readErrorOrStarting, pollOptions).toBe('not here')
	expect((await post('/v1/auth/login', { email: person.email, password: person.password })).status).toBe(200)

	// A syntax error. An error at startup is tested in runtime.node.test.ts.
	await writeFile(app, `${changed}\nconst x = ;\n`)
	const line = changed.split('\n').length + 1
	await expect.poll(dev.output, pollOptions).toContain(`edge/http/html/not-found.ts:${line}:10`)
	expect(await readErrorOrStarting()).toBe('not here')
	await writeFile(app, source)
	await expect.poll(readErrorOrStarting, pollOptions).toBe('not found')

	// Pages: an open page gets the new version, and a new file is served.
	const version = async () => (await fetch(`${url}/_dev/version`)).text()
	const before = await version()
	const page = await fetch(url, { headers: { accept: 'text/html' } })
	expect(await page.text()).toContain(`/_dev/reload.js?at=${before}`)
	const pages = join(tree, 'edge', 'web', 'pages', 'landing')
	await appendFile(join(pages, 'landing.css'), '/* changed */')
	await expect.poll(version, pollOptions).not.toBe(before)
	expect(await (await fetch(`${url}/landing/landing.css`)).text()).toContain('/* changed */')
	await writeFile(join(pages, 'new.css'), '/* new */')
	const added = () =>
		fetch(`${url}/landing/new.css`)
			.then((response) => response.text())
			.catch(() => '')
	await expect.poll(added, pollOptions).toBe('/* new */')

	// A migration.
	const migrations = join(tree, 'schema', 'migrations')
	const journalPath = join(migrations, 'meta', '_journal.json')
	const journal: { entries: object[] } = JSON.parse(await readFile(journalPath, 'utf8'))
	await writeFile(join(migrations, '9999_later.sql'), 'CREATE TABLE later (id INTEGER);')
	journal.entries.push({ idx: 9999, tag: '9999_later' })
	await writeFile(journalPath, JSON.stringify(journal))
	await expect.poll(dev.output, pollOptions).toMatch(/Migrations applied: 1\b(?!.*Playhouse is at)/s)

	const requests = dev
		.output()
		.split('\n')
		.filter((text) => text.includes('"message":"request"'))
		.map((text) => JSON.parse(text))
	expect(requests).toContainEqual(
		expect.objectContaining({
			...{ method: 'POST', path: '/v1/auth/signup', status: 201 },
			...{ ms: expect.any(Number), sql: expect.any(Number), requestId: expect.any(String) },
		}),
	)
	dev.kill('SIGINT')
	expect(await dev.exitCode).toBe(0)
})
