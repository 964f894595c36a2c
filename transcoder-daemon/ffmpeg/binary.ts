import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'

export type Programs = { ffmpeg: string; ffprobe: string }

/** Where ffmpeg and ffprobe are: as the environment says, on PATH, or from an optional npm package. */
export async function findPrograms(env: NodeJS.ProcessEnv = process.env): Promise<Programs | undefined> {
	const ffmpeg =
		(await given(env, 'FFMPEG_PATH')) ?? (await onPath(env, 'ffmpeg')) ?? (await fromPackage('ffmpeg-static'))
	const asked = await given(env, 'FFPROBE_PATH')
	if (!ffmpeg) return undefined
	// The one beside ffmpeg is of the same version; one found elsewhere only will do.
	const ffprobe =
		asked ??
		(await executable(join(dirname(ffmpeg), 'ffprobe'))) ??
		(await onPath(env, 'ffprobe')) ??
		(await fromPackage('@ffprobe-installer/ffprobe'))
	return ffprobe ? { ffmpeg, ffprobe } : undefined
}

/** Someone who names a program wants that one: another in its place would be a surprise. */
async function given(
	env: NodeJS.ProcessEnv,
	variable: 'FFMPEG_PATH' | 'FFPROBE_PATH',
): Promise<string | undefined> {
	const path = env[variable]
	if (!path) return undefined
	if (await executable(path)) return path
	throw new ProgramMissingError(`${variable}: ${path} is not a program that can be run`)
}

export class ProgramMissingError extends Error {
	override name = 'ProgramMissingError'
}

async function onPath(env: NodeJS.ProcessEnv, name: string): Promise<string | undefined> {
	for (const directory of (env.PATH ?? '').split(delimiter)) {
		// An empty entry means the working directory, where nobody expects programs to come from.
		const path = directory && (await executable(join(directory, name)))
		if (path) return path
	}
	return undefined
}

/** Both packages are optional: on some systems there is nothing to install, and one may lack its download. */
async function fromPackage(name: string): Promise<string | undefined> {
	try {
		const { default: found }: { default: string | { path: string } | null } = await import(name)
		const path = typeof found === 'string' ? found : found?.path
		return path && (await executable(path))
	} catch {
		return undefined
	}
}

async function executable(path: string): Promise<string | undefined> {
	try {
		await access(path, constants.X_OK)
		return (await stat(path)).isFile() ? path : undefined
	} catch {
		return undefined
	}
}
