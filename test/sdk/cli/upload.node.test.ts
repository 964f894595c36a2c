import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { MIB, sha256 } from '../../edge/video/uploads/tus/film.node.ts'
import { type RunningWorker, startWorker } from '../../support/shared/miniflare-worker.ts'
import { type CommandLine, createOwner, openCommandLine, removeCommandLine } from './cli.node.ts'
import { openStallingProxy } from './stalling-proxy.node.ts'

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

async function createFile(name: string, size: number): Promise<Buffer> {
	const bytes = randomBytes(size)
	await writeFile(join(cli.folder, name), bytes)
	return bytes
}

/** Returns the SHA-256 of the stored source. */
async function readDigest(assetId: string): Promise<string> {
	const database = await worker.miniflare.getD1Database('DB')
	const row = await database
		.prepare('select source_key from assets where id = ?')
		.bind(assetId)
		.first<{ source_key: string }>()
	const object = await (await worker.miniflare.getR2Bucket('VAULT')).get(row?.source_key ?? '')
	return sha256((await object?.arrayBuffer()) ?? new ArrayBuffer(0))
}

const findByTitle = (title: string) => ada.playhouse.assets.list({ q: title }).send()
const stateFiles = () => readdir(join(cli.folder, 'state', 'playhouse', 'uploads'))

/** Starts an upload in chunks of a MiB that stalls after about three of them. */
async function startStalledUpload(name: string, size = 6 * MIB) {
	const proxy = await openStallingProxy(worker.url, 3.5 * MIB)
	onTestFinished(() => proxy.close())
	const bytes = await createFile(name, size)
	const options = { env: { PLAYHOUSE_URL: proxy.url } }
	const args = ['upload', name, '--chunk', '1']
	const first = cli.start(args, options)
	await proxy.stalled
	return { bytes, proxy, first, repeat: () => cli.start(args, options) }
}

test('upload sends each file, prints the page at once and the id when the file is complete', async () => {
	const bytes = await createFile('Harbour wall.mp4', 300_000)
	await createFile('second.mp4', 1_000)
	const { id: collectionId } = await ada.playhouse.collections.create({ name: 'Films', color: 'teal' })
	const { exitCode, stdout, stderr } = await cli.run(
		...['upload', 'Harbour wall.mp4', 'second.mp4', '--visibility', 'unlisted', '--collection', collectionId],
	)
	expect(exitCode).toBe(0)
	const [id = ''] = stdout.split('\n')
	const asset = await ada.playhouse.assets.get({ assetId: id })
	expect(asset).toMatchObject({ title: 'Harbour wall', visibility: 'unlisted', collectionId })
	expect(await readDigest(id)).toBe(sha256(bytes))
	expect(stderr).toContain(`Harbour wall.mp4: ${asset.watchUrl}\n`)
	expect(stderr).toMatch(/^2 of 2 files, 0\.3 MB in \d+ s$/m)
	expect(await stateFiles()).toEqual([])
})

test('upload reports what is no file, and uploads the other files', async () => {
	await mkdir(join(cli.folder, 'folder'))
	await createFile('empty.mp4', 0)
	await createFile('good.mp4', 1_000)
	await execa('mkfifo', [join(cli.folder, 'pipe')])
	const { exitCode, stdout, stderr } = await cli.run(
		...['upload', 'missing.mp4', 'folder', 'empty.mp4', 'pipe', 'good.mp4', '--json'],
	)
	expect(exitCode).toBe(1)
	expect(JSON.parse(stdout)).toMatchObject({ file: 'good.mp4', status: 'uploaded' })
	const problems = stderr.split('\n').filter((line) => line.startsWith('playhouse:'))
	expect(problems).toEqual([
		`playhouse: ${join(cli.folder, 'missing.mp4')} does not exist; check the path`,
		'playhouse: folder is a folder; name a file',
		'playhouse: empty.mp4 is empty; name a file with content',
		'playhouse: pipe is not a regular file; copy its content into a file first',
	])
})

test('the same command continues after SIGKILL where the server is, in the same asset', async () => {
	const { bytes, proxy, first, repeat } = await startStalledUpload('killed.mp4')
	first.kill('SIGKILL')
	await first
	proxy.release()
	const before = proxy.passed
	const { exitCode, stdout, stderr } = await repeat()
	expect(exitCode).toBe(0)
	expect(stderr).toContain('Continuing the upload of killed.mp4.')
	expect(await readDigest(stdout)).toBe(sha256(bytes))
	// At most one chunk is sent twice; the rest is headers.
	expect(proxy.passed - before).toBeLessThan(4.1 * MIB)
	expect(await findByTitle('killed')).toHaveLength(1)
	expect(await stateFiles()).toEqual([])
})

test('Ctrl-C says how to continue, and a file that changed meanwhile is sent from the start', async () => {
	const { proxy, first, repeat } = await startStalledUpload('stopped.mp4')
	first.kill('SIGINT')
	const stopped = await first
	expect([stopped.exitCode, stopped.stderr.split('\n').at(-1)]).toEqual([
		130,
		'playhouse: stopped at stopped.mp4; run the same command to continue',
	])
	proxy.release()
	const changed = await createFile('stopped.mp4', 5 * MIB)
	const { exitCode, stdout, stderr } = await repeat()
	expect(exitCode).toBe(0)
	expect(stderr).toContain('stopped.mp4 changed since the last upload. Sending it from the start.')
	expect(await readDigest(stdout)).toBe(sha256(changed))
	expect(await findByTitle('stopped')).toHaveLength(1)
})

test('a second process does not upload a file that a running process uploads', async () => {
	const { first, repeat, proxy, bytes } = await startStalledUpload('shared.mp4')
	const second = await repeat()
	expect(second.exitCode).toBe(75)
	expect(second.stderr).toBe(
		`playhouse: another process (${first.pid}) works on ${join(cli.folder, 'shared.mp4')}; wait until it has ended`,
	)
	proxy.release()
	const { stdout } = await first
	expect(await readDigest(stdout)).toBe(sha256(bytes))
})

test('an upload ends with a sentence if its file shrinks, and never retries', async () => {
	const { first, proxy } = await startStalledUpload('shrinking.mp4')
	await truncate(join(cli.folder, 'shrinking.mp4'), 4 * MIB)
	proxy.release()
	const { exitCode, stdout, stderr } = await first
	expect([exitCode, stdout]).toEqual([1, ''])
	expect(stderr.split('\n').at(-1)).toBe(
		`playhouse: ${join(cli.folder, 'shrinking.mp4')} changed during the upload; run the same command again`,
	)
})

test('upload announces the whole size of a file of more than 4 GiB', async () => {
	const size = 4 * 1024 * MIB + MIB
	const path = join(cli.folder, 'large.mp4')
	await writeFile(path, '')
	await truncate(path, size)
	const proxy = await openStallingProxy(worker.url, MIB / 2)
	onTestFinished(() => proxy.close())
	const upload = cli.start(['upload', 'large.mp4', '--chunk', '1'], { env: { PLAYHOUSE_URL: proxy.url } })
	await proxy.stalled
	upload.kill('SIGKILL')
	await upload
	const states = await Promise.all(
		(await stateFiles())
			.filter((name) => name.endsWith('.json'))
			.map(async (name) =>
				JSON.parse(await readFile(join(cli.folder, 'state/playhouse/uploads', name), 'utf8')),
			),
	)
	expect(states).toContainEqual(expect.objectContaining({ path, upload: expect.objectContaining({ size }) }))
})

test('a corrupt state of an upload is reported with the path of the file to remove', async () => {
	const { first, proxy, repeat } = await startStalledUpload('torn.mp4')
	first.kill('SIGKILL')
	await first
	proxy.release()
	const [name = ''] = (await stateFiles()).filter((file) => file.endsWith('.json')).slice(-1)
	const folder = join(cli.folder, 'state', 'playhouse', 'uploads')
	for (const file of await stateFiles())
		if (file.endsWith('.json')) await writeFile(join(folder, file), '{"token":"se')
	const { exitCode, stderr } = await repeat()
	expect(name).not.toBe('')
	expect(exitCode).toBe(1)
	expect(stderr).toMatch(
		/^playhouse: \S+\.json is not valid JSON; remove the file and run the command again$/m,
	)
	expect(stderr).not.toContain('"se')
})

test('--title with several files, a wrong choice and a wrong number are refused before a request', async () => {
	const results = await Promise.all([
		cli.run('upload', 'a', 'b', '--title', 'x'),
		cli.run('upload', 'a', '--visibility', 'everyone'),
		cli.run('upload', 'a', '--chunk', '0'),
		cli.run('import', 'film.mp4'),
	])
	expect(results.map(({ exitCode }) => exitCode)).toEqual([2, 2, 2, 2])
})

test('import creates an asset that imports the address, named after the file', async () => {
	const { exitCode, stdout } = await cli.run('import', 'https://example.com/films/Sea%20view.mp4', '--json')
	expect(exitCode).toBe(0)
	const { id } = JSON.parse(stdout)
	expect(await ada.playhouse.assets.get({ assetId: id })).toMatchObject({ title: 'Sea view.mp4' })
})
