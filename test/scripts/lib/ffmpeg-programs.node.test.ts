import { mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { findPrograms } from '../../../transcoder-daemon/ffmpeg/binary.ts'
import { temporaryDirectory } from '../../support/node/temporary-directory.ts'

let directory: string

beforeEach(async () => {
	directory = await temporaryDirectory()
})

async function program(folder: string, name: string, mode = 0o755): Promise<string> {
	await mkdir(join(directory, folder), { recursive: true })
	const path = join(directory, folder, name)
	await writeFile(path, '#!/bin/sh\n', { mode })
	return path
}

const pathOf = (...directories: string[]) => directories.map((name) => join(directory, name)).join(delimiter)

test('FFMPEG_PATH takes precedence over PATH, and the ffprobe beside it is used', async () => {
	const ffmpeg = await program('own', 'ffmpeg-7')
	const ffprobe = await program('own', 'ffprobe')
	await program('system', 'ffmpeg')
	await program('system', 'ffprobe')
	expect(await findPrograms({ FFMPEG_PATH: ffmpeg, PATH: pathOf('system') })).toEqual({ ffmpeg, ffprobe })
})

test('FFPROBE_PATH takes precedence over the ffprobe beside ffmpeg', async () => {
	const ffmpeg = await program('system', 'ffmpeg')
	await program('system', 'ffprobe')
	const ffprobe = await program('own', 'ffprobe')
	expect(await findPrograms({ FFPROBE_PATH: ffprobe, PATH: pathOf('system') })).toEqual({ ffmpeg, ffprobe })
})

test('the first executable ffmpeg on PATH is used, and directories and other files are ignored', async () => {
	await program('text', 'ffmpeg', 0o644)
	await mkdir(join(directory, 'folder', 'ffmpeg'), { recursive: true })
	const ffmpeg = await program('first', 'ffmpeg')
	await program('second', 'ffmpeg')
	const ffprobe = await program('second', 'ffprobe')
	expect(await findPrograms({ PATH: pathOf('text', 'folder', 'first', 'second') })).toEqual({
		ffmpeg,
		ffprobe,
	})
})

test.each(['FFMPEG_PATH', 'FFPROBE_PATH'])('a missing program in %s throws', async (name) => {
	await program('system', 'ffmpeg')
	await program('system', 'ffprobe')
	const env = { PATH: pathOf('system'), [name]: join(directory, 'nowhere') }
	await expect(findPrograms(env)).rejects.toThrow(
		`${name}: ${join(directory, 'nowhere')} is not an executable file`,
	)
})

test('an empty FFMPEG_PATH or FFPROBE_PATH counts as unset', async () => {
	const ffmpeg = await program('system', 'ffmpeg')
	const ffprobe = await program('system', 'ffprobe')
	expect(await findPrograms({ FFMPEG_PATH: '', FFPROBE_PATH: '', PATH: pathOf('system') })).toEqual({
		ffmpeg,
		ffprobe,
	})
})
