import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../../../scripts/lib/root.ts'
import { findPrograms } from '../../../../transcoder-daemon/ffmpeg/binary.ts'
import { makePresentation } from '../../../support/shared/made-presentation.ts'
import { needs } from '../../../support/shared/needs.ts'

const command = join(root, 'scripts', 'operate', 'hls-validator', 'main.ts')
const validate = (...args: string[]) => execa(process.execPath, [command, ...args], { reject: false })

const programs = await findPrograms(process.env)

test('hls-validate prints its help and the list of rules', async () => {
	expect((await validate('--help')).stdout).toMatch(/URL-or-path/)
	const rules = (await validate('--rules')).stdout.split('\n')
	expect(rules.length).toBeGreaterThan(50)
	expect(rules.find((line) => line.includes('7.4'))).toMatch(/MUST .*IDR/)
})

test('hls-validate exits with 2 if a presentation cannot be read', async () => {
	expect(await validate()).toMatchObject({ exitCode: 2 })
	const missing = await validate('/nowhere/master.m3u8')
	expect(missing).toMatchObject({ exitCode: 2, stdout: '' })
	expect(missing.stderr).toMatch(/ENOENT/)
	const unreachable = await validate('http://127.0.0.1:1/master.m3u8')
	expect(unreachable.exitCode).toBe(2)
})

describe('a real presentation', needs({ ffmpeg: programs }), () => {
	let directory: string
	let server: Server
	let address: string
	/** Whether the server sends playlists without compression. */
	let isPlain = false

	beforeAll(async () => {
		directory = await mkdtemp(join(tmpdir(), 'playhouse-hls-'))
		for (const [name, bytes] of await makePresentation(programs?.ffmpeg ?? '', directory)) {
			await mkdir(dirname(join(directory, 'out', name)), { recursive: true })
			await writeFile(join(directory, 'out', name), bytes)
		}
		server = createServer(async (request, response) => {
			const path = new URL(request.url ?? '/', 'http://localhost').pathname
			const bytes = await readFile(join(directory, 'out', path))
			const isPlaylist = path.endsWith('.m3u8')
			response.setHeader('content-type', isPlaylist ? 'application/vnd.apple.mpegurl' : 'video/mp4')
			const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
			if (isPlaylist && !isPlain) response.setHeader('content-encoding', 'gzip').end(gzipSync(bytes))
			else if (from && to) response.writeHead(206).end(bytes.subarray(Number(from), Number(to) + 1))
			else response.end(bytes)
		})
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
		address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/master.m3u8`
	})
	afterAll(async () => {
		server?.close()
		if (directory) await rm(directory, { recursive: true, force: true })
	})

	test('a real presentation is valid when a correct server delivers it', async () => {
		const { exitCode, stdout } = await validate(address)
		expect(stdout).toMatch(/\nValid: 5 streams, \d+ segments/)
		expect(exitCode).toBe(0)
	})

	test('a real presentation breaks rule 25 when the server sends uncompressed playlists', async () => {
		isPlain = true
		const { exitCode, stdout } = await validate(address)
		isPlain = false
		expect(stdout).toMatch(/^Broken: rule 25 \(10\.1\) MUST/)
		expect(exitCode).toBe(1)
	})

	test('a real presentation is valid on disk, with a note that delivery was not checked', async () => {
		const { exitCode, stdout } = await validate('--json', join(directory, 'out', 'master.m3u8'))
		expect(JSON.parse(stdout)).toMatchObject({ isValid: true, notes: [expect.stringMatching(/from disk/)] })
		expect(exitCode).toBe(0)
	})

	test('each rung has every frame according to ffprobe, starting at one second', async () => {
		for (const rung of ['h264-360p', 'h264-240p']) {
			const entries = ['-count_frames', '-show_entries', 'stream=nb_read_frames,start_time', '-of', 'json']
			const path = join(directory, 'out', `${rung}.m3u8`)
			const { stdout } = await execa(programs?.ffprobe ?? '', ['-v', 'error', ...entries, path])
			// 30 s at 30000/1001 are 899.1 frames.
			expect(JSON.parse(stdout).streams).toEqual([{ nb_read_frames: '899', start_time: '1.000000' }])
		}
	})

	test('hls-validate validates a media playlist alone', async () => {
		const { exitCode, stdout } = await validate('--json', join(directory, 'out', 'h264-360p.m3u8'))
		expect(JSON.parse(stdout)).toMatchObject({ isValid: true, streams: 1, segments: 8 })
		expect(exitCode).toBe(0)
	})

	test('hls-validate reports a truncated segment', async () => {
		const path = join(directory, 'out', 'video0-1', 'h264-360p', '1.m4s')
		const bytes = await readFile(path)
		await writeFile(path, bytes.subarray(0, 200))
		const { exitCode, stdout } = await validate(join(directory, 'out', 'master.m3u8'))
		await writeFile(path, bytes)
		expect(exitCode).toBe(1)
		expect(stdout).toMatch(/h264-360p\.m3u8:10: is truncated/)
	})
})
