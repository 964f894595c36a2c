import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFileSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import {
	appendFile,
	mkdir,
	mkdtemp,
	readdir,
	readFile,
	rename,
	rm,
	stat,
	symlink,
	writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
	isMediaName,
	isUnfinishedName,
	toTitle,
} from '../../../transcoder-daemon/hot-folder/hot-folder-files.ts'
import { spawnDaemon } from '../daemon-process.ts'
import { API_KEY, type FakeApi, openFakeApi } from '../fake-api.ts'

const program = join(import.meta.dirname, '..', 'practice-hot-folder.ts')
let api: FakeApi
let dir: string
let hot: string

beforeEach(async () => {
	api = await openFakeApi()
	dir = await mkdtemp(join(tmpdir(), 'playhouse-'))
	hot = join(dir, 'hot')
	await mkdir(hot)
})
afterEach(async () => {
	await api[Symbol.asyncDispose]()
	await rm(dir, { recursive: true, force: true })
})

const start = (more: Record<string, string> = {}) =>
	spawnDaemon(
		{
			PLAYHOUSE_EDGE_URL: api.url,
			PLAYHOUSE_API_KEY: API_KEY,
			PLAYHOUSE_DATA_DIR: join(dir, 'data'),
			...more,
		},
		['--watch', hot],
		program,
	)
const titles = () => [...api.assets.values()].map(({ title }) => title).sort()
const filesIn = async (name: string) => (await readdir(join(hot, name))).sort()

test('the hot folder turns existing and new videos into assets and moves them aside', async () => {
	const first = randomBytes(3_000_000)
	await writeFile(join(hot, 'first.mp4'), first)
	await using daemon = start()
	await daemon.waitForLog('video done')
	await writeFile(join(hot, 'second.MOV'), 'the second')
	await daemon.waitForLog('video done')
	expect(titles()).toEqual(['first', 'second'])
	expect([...api.assets.values()].map(({ content }) => content?.length)).toEqual([first.length, 10])
	expect(await filesIn('done')).toEqual(['first.mp4', 'second.MOV'])
	expect(await readFile(join(hot, 'done', 'first.mp4'))).toEqual(first)
})

test('the hot folder moves a failed video aside with the reason beside it', async () => {
	api.setOutcome((asset) => {
		asset.status = 'error'
		asset.errorMessage = 'There is no video in this file.'
	})
	await writeFile(join(hot, 'broken.mp4'), 'no video')
	await writeFile(join(hot, 'empty.mp4'), '')
	await using daemon = start()
	await daemon.waitForLog('video failed')
	await daemon.waitForLog('video failed')
	expect(await filesIn('failed')).toEqual(['broken.mp4', 'broken.mp4.txt', 'empty.mp4', 'empty.mp4.txt'])
	expect(await readFile(join(hot, 'failed', 'broken.mp4.txt'), 'utf8')).toBe(
		'There is no video in this file.\n',
	)
	expect(await readFile(join(hot, 'failed', 'empty.mp4.txt'), 'utf8')).toBe('the file is empty\n')
})

test('the hot folder waits for a growing file and uploads it whole', async () => {
	const path = join(hot, 'slow.mp4')
	await writeFile(path, 'begin')
	await using daemon = start({ SETTLE_MS: '3000' })
	await daemon.waitForLog('watching')
	for (let n = 0; n < 20; n++) {
		await appendFile(path, ` ${n}`)
		await new Promise((next) => setTimeout(next, 50))
	}
	await daemon.waitForLog('video done')
	expect(api.assets.size).toBe(1)
	const [asset] = api.assets.values()
	expect(asset?.content?.toString()).toMatch(/^begin 0 .* 19$/)
})

test('the hot folder uploads a file again to the same asset when it changes during the upload', async () => {
	const path = join(hot, 'late.mp4')
	await writeFile(path, 'begin')
	let isGrown = false
	api.injectFaults((call) => {
		if (call === 'PUT' && !isGrown) {
			isGrown = true
			appendFileSync(path, ' and end')
		}
		return null
	})
	await using daemon = start()
	await daemon.waitForLog('changes while it is uploaded')
	await daemon.waitForLog('video done')
	expect([...api.assets.values()].map(({ content }) => content?.toString())).toEqual(['begin and end'])
})

test('the hot folder waits for a file with an unfinished name until it is renamed', async () => {
	await writeFile(join(hot, 'film.mp4.part'), 'the film')
	await writeFile(join(hot, '.hidden.mp4'), 'hidden')
	await writeFile(join(hot, 'notes.txt'), 'no video')
	await using daemon = start()
	await daemon.waitForLog('watching')
	await rename(join(hot, 'film.mp4.part'), join(hot, 'film.mp4'))
	await daemon.waitForLog('video done')
	expect(titles()).toEqual(['film'])
	expect(await filesIn('')).toEqual(['.hidden.mp4', 'done', 'failed', 'notes.txt'])
})

test.each(['createAsset', 'createUploadUrl', 'PUT', 'completeUpload', 'processAsset', 'getAsset'])(
	'the hot folder creates one asset per file when killed at %s and restarted',
	async (point) => {
		await writeFile(join(hot, 'film.mp4'), 'the film')
		{
			await using daemon = start()
			const reached = new Promise<void>((done) => {
				api.injectFaults((call) => {
					if (call === point) {
						daemon.kill('SIGKILL')
						done()
					}
					return null
				})
			})
			await reached
			await daemon.ended
		}
		api.injectFaults(() => null)
		await using daemon = start()
		await daemon.waitForLog('video done')
		expect(titles()).toEqual(['film'])
		expect(await filesIn('done')).toEqual(['film.mp4'])
	},
)

test('the hot folder recovers from lost responses and a failing edge', async () => {
	const counts = new Map<string, number>()
	api.injectFaults((call) => {
		const count = (counts.get(call) ?? 0) + 1
		counts.set(call, count)
		return count === 1 ? (call === 'PUT' ? 503 : 'lost') : null
	})
	await writeFile(join(hot, 'film.mp4'), 'the film')
	await using daemon = start()
	await daemon.waitForLog('video done')
	expect(titles()).toEqual(['film'])
})

test('the hot folder processes many files at once and overwrites none of the same name', async () => {
	await mkdir(join(hot, 'done'))
	await writeFile(join(hot, 'done', '7.mp4'), 'an older one')
	for (let n = 0; n < 25; n++) await writeFile(join(hot, `${n}.mp4`), `video ${n}`)
	await using daemon = start()
	for (let n = 0; n < 25; n++) await daemon.waitForLog('video done')
	expect(api.assets.size).toBe(25)
	expect(await filesIn('done')).toHaveLength(26)
	expect(await readFile(join(hot, 'done', '7.mp4'), 'utf8')).toBe('an older one')
	expect(await readFile(join(hot, 'done', '7 (2).mp4'), 'utf8')).toBe('video 7')
})

test('the hot folder exits without a key, and waits with a wrong key', async () => {
	await using without = start({ PLAYHOUSE_API_KEY: '' })
	expect((await without.ended).code).toBe(78)
	await writeFile(join(hot, 'film.mp4'), 'the film')
	await using daemon = start({ PLAYHOUSE_API_KEY: 'phk_live_wrong' })
	await daemon.waitForLog('the edge rejects the key')
	daemon.kill('SIGTERM')
	expect(await daemon.ended).toEqual({ code: 0, signal: null })
	expect(await filesIn('')).toContain('film.mp4')
})

test('the hot folder recognizes media names and unfinished names', () => {
	for (const name of ['.a.mp4', '~a.mp4', 'a.mp4~', 'a.part', 'a.mp4.crdownload', 'a.TMP'])
		expect(isUnfinishedName(name), name).toBe(true)
	for (const name of ['a.mp4', 'party.mov', 'a b.mkv', 'disc.MPG', 'old.wmv', 'talk.mp3']) {
		expect(isUnfinishedName(name), name).toBe(false)
		expect(isMediaName(name), name).toBe(true)
	}
	expect(toTitle('my film.2.mp4')).toBe('my film.2')
	expect(toTitle(' .mp4')).toBe('Untitled')
})

test('the hot folder uses hostile names only as titles, and moves files with long names', async () => {
	const names = [
		'two\nlines.mp4',
		'-i.mp4',
		'\'quotes"`$(touch x)`.mp4',
		'%2e%2e%2f%00 %s.mp4',
		'..\\..\\x.mp4',
		'e\u0301 \u202e映画 🎬.mp4',
		`${'x'.repeat(251)}.mp4`,
		`${'é'.repeat(125)}.mp4`,
	]
	for (const name of names) await writeFile(join(hot, name), name)
	await using daemon = start()
	for (const _ of names) await daemon.waitForLog('video done')
	expect(titles()).toEqual(names.map((name) => name.slice(0, -4).replace('\n', ' ')).sort())
	const moved = await filesIn('done')
	for (const name of names.slice(0, -2)) expect(moved).toContain(name)
	expect(moved).toContain(`${'x'.repeat(247)}.mp4`)
	expect(moved).toContain(`${'é'.repeat(123)}.mp4`)
	expect(await filesIn('')).toEqual(['done', 'failed'])
})

test('the hot folder leaves room in a long name for the suffix of the reason', async () => {
	api.setOutcome((asset) => {
		asset.status = 'error'
		asset.errorMessage = 'No.'
	})
	await writeFile(join(hot, `${'x'.repeat(251)}.mp4`), 'no video')
	await using daemon = start()
	await daemon.waitForLog('video failed')
	expect(await filesIn('failed')).toEqual([`${'x'.repeat(247)}.mp4`, `${'x'.repeat(247)}.mp4.txt`])
})

test('the hot folder publishes no target of a link, and does not wait at a pipe', async () => {
	const secret = join(dir, 'secret')
	await writeFile(secret, 'a secret of this machine')
	await symlink(secret, join(hot, 'link.mp4'))
	await symlink(join(dir, 'nowhere'), join(hot, 'dangling.mp4'))
	await symlink(dir, join(hot, 'folder-link.mp4'))
	await mkdir(join(hot, 'folder.mp4'))
	execFileSync('/usr/bin/mkfifo', [join(hot, 'pipe.mp4')])
	await using daemon = start()
	await daemon.waitForLog('skipped: not a plain file')
	await writeFile(join(hot, 'film.mp4'), 'a film')
	await daemon.waitForLog('video done')
	expect(titles()).toEqual(['film'])
	expect(await filesIn('done')).toEqual(['film.mp4'])
	expect(await filesIn('')).toContain('link.mp4')
})

test.each(['createAsset', 'createUploadUrl', 'PUT'])(
	'the hot folder uploads no file that replaced another at %s',
	async (point) => {
		const secret = join(dir, 'secret')
		await writeFile(secret, 'a secret of this machine')
		await writeFile(join(hot, 'film.mp4'), 'a film')
		let isReplaced = false
		api.injectFaults((call) => {
			if (call === point && !isReplaced) {
				isReplaced = true
				unlinkSync(join(hot, 'film.mp4'))
				symlinkSync(secret, join(hot, 'film.mp4'))
			}
			return null
		})
		await using daemon = start()
		await daemon.waitForLog('changes while it is uploaded')
		await daemon.waitForLog('skipped: not a plain file')
		expect([...api.assets.values()].map(({ content }) => content?.toString() ?? '')).not.toContain(
			'a secret of this machine',
		)
		expect([...api.assets.values()].map(({ status }) => status)).toEqual(['created'])
		expect(await filesIn('done')).toEqual([])
	},
)

test('the hot folder detects a change of a file whose times were set back', async () => {
	const path = join(hot, 'film.mp4')
	await writeFile(path, 'first')
	const { atime, mtime } = await stat(path)
	let isChanged = false
	api.injectFaults((call) => {
		if (call === 'PUT' && !isChanged) {
			isChanged = true
			writeFileSync(path, 'other')
			utimesSync(path, atime, mtime)
		}
		return null
	})
	await using daemon = start()
	await daemon.waitForLog('changes while it is uploaded')
	await daemon.waitForLog('video done')
	expect([...api.assets.values()].map(({ content }) => content?.toString())).toEqual(['other'])
})

test('the hot folder writes no reason of a failure through a link', async () => {
	const elsewhere = join(dir, 'elsewhere')
	await writeFile(elsewhere, 'as it was')
	await mkdir(join(hot, 'failed'))
	await symlink(elsewhere, join(hot, 'failed', 'empty.mp4.txt'))
	await writeFile(join(hot, 'empty.mp4'), '')
	await using daemon = start()
	await daemon.waitForLog('video failed')
	expect(await readFile(elsewhere, 'utf8')).toBe('as it was')
	expect(await filesIn('failed')).toEqual(['empty (2).mp4', 'empty (2).mp4.txt', 'empty.mp4.txt'])
})

test('the hot folder moves no files out through a link in place of its own folders', async () => {
	const elsewhere = join(dir, 'elsewhere')
	await mkdir(elsewhere)
	await symlink(elsewhere, join(hot, 'done'))
	await writeFile(join(hot, 'film.mp4'), 'a film')
	await using daemon = start()
	await daemon.waitForLog("can't process a file")
	expect(await readdir(elsewhere)).toEqual([])
})
