import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningWorker, startWorker } from '../../support/shared/miniflare-worker.ts'
import { type CommandLine, createOwner, openCommandLine, removeCommandLine } from './cli.node.ts'

let worker: RunningWorker
let ada: Awaited<ReturnType<typeof createOwner>>
let cli: CommandLine
beforeAll(async () => {
	worker = await startWorker()
	ada = await createOwner(worker.url, 'ada@example.org')
	cli = await openCommandLine({ PLAYHOUSE_URL: worker.url, PLAYHOUSE_API_KEY: ada.key })
})
afterAll(async () => {
	await removeCommandLine(cli)
	await worker?.dispose()
})

const createAsset = async (title: string) => (await ada.playhouse.assets.create({ title })).id
const readLines = (stdout: string) => stdout.split('\n').map((line) => JSON.parse(line))

test('assets ls prints the newest videos, at most --limit of them', async () => {
	await createAsset('Old')
	const id = await createAsset('New')
	const table = await cli.run('assets', 'ls', '--limit', '1')
	expect(table.stdout.split('\n')).toHaveLength(1)
	expect(table.stdout).toContain(`${id}\tcreated\t`)
	expect(table.stdout).toMatch(/\tNew$/)
	const all = readLines((await cli.run('assets', 'ls', '--all', '--sort', 'created', '--json')).stdout)
	expect(all.map(({ title }) => title)).toEqual(['Old', 'New'])
	const wrong = await cli.run('assets', 'ls', '--status', 'finished')
	expect([wrong.exitCode, wrong.stdout]).toEqual([1, ''])
})

test('assets set changes only the named fields, and assets get shows them', async () => {
	const id = await createAsset('Draft')
	const set = await cli.run('assets', 'set', id, '--title', 'Film', '--visibility', 'unlisted', '--json')
	expect(JSON.parse(set.stdout)).toMatchObject({
		id,
		title: 'Film',
		visibility: 'unlisted',
		description: null,
	})
	const { stdout } = await cli.run('assets', 'get', id)
	expect(stdout).toMatch(/^title {2,}Film$/m)
	expect((await cli.run('assets', 'set', id)).exitCode).toBe(2)
	expect((await cli.run('assets', 'get', '..')).exitCode).toBe(2)
	const opened = await cli.run('assets', 'open', id)
	expect(opened.stdout).toBe((await ada.playhouse.assets.get({ assetId: id })).watchUrl)
})

test('assets rm moves videos to the trash, and deletes permanently only with --yes where nobody can answer', async () => {
	const id = await createAsset('Waste')
	const unknown = 'ast_00000000000000000000000000'
	const trashed = await cli.run('assets', 'rm', unknown, id)
	expect(trashed.exitCode).toBe(5)
	expect(trashed.stderr).toContain(`${id} is in the trash until `)
	const refused = await cli.run('assets', 'rm', id, '--permanently')
	expect([refused.exitCode, refused.stderr]).toEqual([2, 'playhouse: this needs a confirmation; add --yes'])
	const deleted = await cli.run('assets', 'rm', id, '--permanently', '--yes', '--json')
	expect(JSON.parse(deleted.stdout)).toMatchObject({ id, deleted: true })
})

test('assets download writes the whole file, and does not overwrite a file without being asked', async () => {
	const assetId = await createAsset('../../Harbour')
	const bytes = new Uint8Array(200_000).map((_, index) => index * 31)
	await ada.playhouse.uploads.send(new Blob([bytes]), { assetId })
	const { exitCode, stdout: name } = await cli.run('assets', 'download', assetId)
	expect(exitCode).toBe(0)
	expect(name).not.toMatch(/[/\\]/)
	expect(new Uint8Array(await readFile(join(cli.folder, name)))).toEqual(bytes)
	const again = await cli.run('assets', 'download', assetId)
	expect([again.exitCode, again.stderr]).toEqual([
		1,
		`playhouse: ${name} exists; name another file with --output`,
	])
	expect((await cli.run('assets', 'download', assetId, '-o', 'b.mp4', '--json')).stdout).toBe(
		'{"file":"b.mp4","bytes":200000}',
	)
})

test('collections are created, listed and deleted', async () => {
	const { stdout: id } = await cli.run('collections', 'create', 'Films', '--color', 'teal')
	const listed = readLines((await cli.run('collections', 'ls', '--json')).stdout)
	expect(listed).toMatchObject([{ id, name: 'Films', color: 'teal' }])
	expect((await cli.run('collections', 'rm', id)).exitCode).toBe(2)
	expect((await cli.run('collections', 'rm', id, '--yes')).exitCode).toBe(0)
	expect((await cli.run('collections', 'ls')).stdout).toBe('')
})

test('members ls, orgs get and orgs usage show the organization of the key', async () => {
	const [members, org, usage] = await Promise.all([
		cli.run('members', 'ls', '--json'),
		cli.run('orgs', 'get', '--json'),
		cli.run('orgs', 'usage', '--json'),
	])
	expect(readLines(members.stdout)).toMatchObject([{ email: 'ada@example.org', role: 'owner' }])
	expect(JSON.parse(org.stdout)).toMatchObject({ id: ada.org.id })
	expect(JSON.parse(usage.stdout)).toHaveProperty('tier')
})

test('captions put uploads captions, and captions get prints them as WebVTT and as SRT', async () => {
	const assetId = await createAsset('Film')
	const text = 'WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n'
	const put = await cli.start(['captions', 'put', assetId, 'en', '-', '--json'], { input: text })
	expect(readLines(put.stdout)).toMatchObject([{ language: 'en', source: 'upload' }])
	expect((await cli.run('captions', 'ls', assetId)).stdout).toBe('en\tupload\tEnglish')
	const database = await worker.miniflare.getD1Database('DB')
	await database
		.prepare("update assets set status = 'ready', manifest_key = 'm' where id = ?")
		.bind(assetId)
		.run()
	const vtt = await cli.run('captions', 'get', assetId, 'EN')
	expect(vtt.stderr).toBe('')
	expect(vtt.stdout).toContain('00:00:01.000 --> 00:00:02.000\nHello')
	expect((await cli.run('captions', 'get', assetId, 'en', '--srt')).stdout).toContain('00:00:01,000 -->')
	const missing = await cli.run('captions', 'get', assetId, 'de')
	expect([missing.exitCode, missing.stderr]).toEqual([
		5,
		'playhouse: the video has no captions in de; use en',
	])
})
