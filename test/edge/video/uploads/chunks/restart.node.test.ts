import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { MIB, openUploader, sha256, sourceDigest } from '../tus/film.node.ts'
import { startKillable } from '../tus/killable-worker.node.ts'

test('chunks that curl sends are stored as one file, although the Worker is killed between them', async () => {
	const directory = await mkdtemp(join(tmpdir(), 'playhouse-chunks-'))
	onTestFinished(() => rm(directory, { recursive: true, force: true }))
	let worker = await startKillable(directory)
	onTestFinished(() => worker.dispose())
	const film = randomBytes(13 * MIB + 7)
	const uploader = await openUploader(worker)
	const { assetId } = await uploader.openAsset(film.byteLength)

	/** Returns the status, and how many bytes are stored. */
	async function curl(range: string, input?: Buffer) {
		const { stdout } = await execa(
			'curl',
			[
				...[
					'--silent',
					'--show-error',
					'--output',
					'/dev/null',
					'--write-out',
					'%{http_code} %header{range}',
				],
				...['--request', 'PUT', '--header', 'content-type: video/mp4'],
				...(input ? ['--data-binary', '@-'] : []),
				...['--header', `authorization: Bearer ${uploader.session}`],
				...['--header', `content-range: bytes ${range}/${film.byteLength}`],
				`${worker.url}/v1/assets/${assetId}/upload`,
			],
			{ input: input ?? '' },
		)
		const [, status, last] = /^(\d+) (?:bytes=0-(\d+))?$/.exec(stdout) ?? []
		return { status: Number(status), storedBytes: last === undefined ? 0 : Number(last) + 1 }
	}
	async function restart() {
		process.kill(worker.pid, 'SIGKILL')
		await worker.dispose()
		worker = await startKillable(directory)
	}

	for (let start = 0; start < film.byteLength; ) {
		const chunk = film.subarray(start, start + 4 * MIB)
		const answer = await curl(`${start}-${start + chunk.byteLength - 1}`, chunk)
		start += chunk.byteLength
		const isLast = start === film.byteLength
		expect(answer).toEqual(isLast ? { status: 200, storedBytes: 0 } : { status: 308, storedBytes: start })
		if (isLast) break
		await restart()
		expect(await curl('*')).toEqual(answer)
	}
	expect(await sourceDigest(worker, assetId)).toBe(sha256(film))
})
