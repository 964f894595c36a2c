import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { MIB } from '../../edge/video/uploads/tus/film.node.ts'
import { buildUploadProgram, type UploadArguments } from './upload-program.node.ts'
import { startUploadSink } from './upload-sink.node.ts'

/** Far more than the memory that an upload may use. Set by npm run prove -- sdk-uploads for its longer run. */
const BYTES = Number(process.env.SDK_UPLOAD_BYTES || 2_200_000_000)

test(`an upload of ${BYTES / 1e9} GB needs at most 120 MB of memory`, async () => {
	const folder = await mkdtemp(join(tmpdir(), 'playhouse-large-'))
	onTestFinished(() => rm(folder, { recursive: true, force: true }))
	const [program, path] = [join(folder, 'upload.mjs'), join(folder, 'film.mp4')]
	await buildUploadProgram(program)
	await using file = await open(path, 'w')
	// A sparse file takes no space.
	await file.truncate(BYTES)
	const sink = await startUploadSink({ hasDigest: false })
	const options: UploadArguments = {
		baseUrl: sink.url,
		token: 'token',
		path,
		assetId: 'ast_1',
		statePath: join(folder, 'state.json'),
	}
	const { stdout } = await execa(process.execPath, [program, JSON.stringify(options)])
	expect(sink.stored).toBe(BYTES)
	expect(sink.requests.filter((request) => request.startsWith('PATCH'))).toHaveLength(
		Math.ceil(BYTES / (50 * MIB)),
	)
	if (process.env.SDK_UPLOAD_BYTES) console.log(`${(Number(stdout) / 1e6).toFixed(0)} MB of memory`)
	expect(Number(stdout)).toBeLessThan(120_000_000)
})
