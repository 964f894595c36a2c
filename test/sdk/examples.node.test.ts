import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Playhouse } from '../../sdk/src/index.ts'
import { sha256, sourceDigest } from '../edge/video/uploads/tus/film.node.ts'
import { type RunningWorker, startWorker } from '../support/shared/miniflare-worker.ts'
import { readExamples } from './documents.node.ts'
import { installSdk } from './packed-package.node.ts'

let folder: string
let worker: RunningWorker
let owner: Playhouse
let apiKey: string
let examples: string[]
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'playhouse-examples-'))
	;[worker, examples] = await Promise.all([startWorker(), readExamples(), installSdk(folder)])
	const { token, org } = await new Playhouse({ baseUrl: worker.url }).auth.signup({
		email: 'ada@example.org',
		password: 'correct horse battery',
		name: 'Ada',
	})
	owner = new Playhouse({ baseUrl: worker.url, token })
	const scopes = ['read', 'write', 'headless:auth'] as const
	apiKey = (await owner.apiKeys.create({ orgId: org.id, name: 'test', scopes: [...scopes] })).key
})
afterAll(async () => {
	await worker?.dispose()
	await rm(folder, { recursive: true, force: true })
})

/** Runs the example that contains a text against the Worker, then the code that uses its exports. Returns the output. */
async function runExample(contained: string, use = ''): Promise<string> {
	const found = examples.filter((code) => code.includes(contained))
	expect(found).toHaveLength(1)
	const code = found[0]
		?.replace(/https:\/\/video\.example\.com|http:\/\/127\.0\.0\.1:8787/g, worker.url)
		.replaceAll('phk_live_…', apiKey)
	await writeFile(join(folder, 'example.ts'), code ?? '')
	await writeFile(join(folder, 'use.mjs'), `const example = await import('./example.ts')\n${use}`)
	const { stdout } = await execa(process.execPath, ['use.mjs'], { cwd: folder })
	return stdout
}

test('the example of README.md lists titles and watch pages', async () => {
	const { id } = await owner.assets.create({ title: 'Sunrise' })
	const { watchUrl } = await owner.assets.get({ assetId: id })
	expect(await runExample('for await (const { title, watchUrl }')).toContain(`Sunrise ${watchUrl}`)
})

test('the examples of sdk/README.md create and list assets', async () => {
	const output = await runExample('if (!(error instanceof NotFoundError))')
	const [newest] = await owner.assets.list({ sort: '-created' })
	expect(newest?.title).toBe('Film')
	expect(output).toContain(`${newest?.id} created`)
	const id = await runExample('call(client, createAsset')
	expect(await owner.assets.get({ assetId: id })).toMatchObject({ title: 'Film' })
})

test('the example of an upload sends a file, and removes its state', async () => {
	const { id } = await owner.assets.create({ title: 'Film' })
	const bytes = randomBytes(300_000)
	await writeFile(join(folder, 'film.mp4'), bytes)
	const output = await runExample('onState: (state)', `await example.upload('film.mp4', '${id}')`)
	expect(output).toMatch(/100 %$/)
	expect(await sourceDigest(worker, id)).toBe(sha256(bytes))
	expect(await readdir(folder)).not.toContain('film.mp4.upload')
})

test('the example of a signed asset returns the watch page with a token', async () => {
	const { id } = await owner.assets.create({ title: 'Film', visibility: 'signed' })
	const { watchUrl } = await owner.assets.get({ assetId: id })
	const url = await runExample('createPlaybackToken', `console.log(await example.openForViewer('${id}'))`)
	expect(url).toMatch(/\?token=[\w-]+\.[\w-]+\.[\w-]+$/)
	expect(url.replace(/\?.*/, '')).toBe(watchUrl)
})

test('the example of webhooks accepts a signed delivery, and refuses others', async () => {
	const secret = `whsec_${Buffer.from('a secret of 24 bytes....').toString('base64')}`
	const body = JSON.stringify({ type: 'asset.ready', data: { assetId: 'ast_1' } })
	const now = new Date()
	const headers = {
		'webhook-id': 'evt_1',
		'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
		'webhook-signature': new Webhook(secret).sign('evt_1', now, body),
	}
	const use = `
for (const body of ${JSON.stringify([body, '{}'])}) {
	const request = new Request('http://receiver/', { method: 'POST', body, headers: ${JSON.stringify(headers)} })
	const { status } = await example.default.fetch(request, { WEBHOOK_SECRET: '${secret}' })
	console.log(status)
}`
	expect(await runExample('unwrapWebhook', use)).toBe('ast_1\n204\n400')
})

test('the example of a member reads posts with the tokens that an API key gets', async () => {
	const community = await owner.communities.create({ name: 'Club', slug: 'club' })
	const space = await owner.communities.spaces.create({
		communityId: community.id,
		name: 'News',
		slug: 'news',
	})
	const use = `
const member = await example.openCommunity('ada@example.org', () => {})
console.log(JSON.stringify(await example.listPosts(member, ${space.id})))`
	expect(await runExample('renewMemberToken', use)).toBe('[]')
})
