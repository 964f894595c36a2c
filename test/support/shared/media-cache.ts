import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { copyFile, mkdir, rename } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'

const directory = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'playhouse-media')
const run = promisify(execFile)

/**
 * Runs ffmpeg with arguments that read no file, and writes the output to `path`: encoded the first time, copied later.
 * Several test files use the same inputs, and encoding one takes longer than most tests.
 */
export async function encodeOnce(ffmpeg: string, args: readonly string[], path: string): Promise<void> {
	// ffmpeg takes the container from the extension.
	const recipe = JSON.stringify([await versionOf(ffmpeg), args, extname(path)])
	const cached = join(directory, createHash('sha256').update(recipe).digest('hex'))
	if (await copyFile(cached, path).then(() => true, isMissing)) return
	await callFfmpeg(ffmpeg, [...args, path])
	await mkdir(directory, { recursive: true })
	// Other tests may read the cache at any time, so a file is renamed when it is complete.
	const partial = `${cached}.${randomUUID()}`
	await copyFile(path, partial)
	await rename(partial, cached)
}

export async function callFfmpeg(ffmpeg: string, args: readonly string[]): Promise<void> {
	await run(ffmpeg, ['-hide_banner', '-nostdin', '-loglevel', 'error', '-y', ...args], {
		maxBuffer: 1_000_000,
	})
}

const versions = new Map<string, Promise<string>>()

function versionOf(ffmpeg: string): Promise<string> {
	const version = versions.get(ffmpeg) ?? run(ffmpeg, ['-version']).then(({ stdout }) => stdout)
	versions.set(ffmpeg, version)
	return version
}

function isMissing(error: NodeJS.ErrnoException): false {
	if (error.code !== 'ENOENT') throw error
	return false
}
