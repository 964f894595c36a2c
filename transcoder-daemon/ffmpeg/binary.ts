import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'

export type Programs = { ffmpeg: string; ffprobe: string }

/** Finds ffmpeg and ffprobe: from the environment, on PATH, or in an optional npm package. */
export async function findPrograms(env: NodeJS.ProcessEnv = process.env): Promise<Programs | undefined> {
	const ffmpeg =
		(await configured(env, 'FFMPEG_PATH')) ??
		(await onPath(env, 'ffmpeg')) ??
		(await fromPackage('ffmpeg-static'))
	const configuredFfprobe = await configured(env, 'FFPROBE_PATH')
	if (!ffmpeg) return undefined
	// ffprobe beside ffmpeg has the same version; any other is a fallback.
	const ffprobe =
		configuredFfprobe ??
		(await executable(join(dirname(ffmpeg), 'ffprobe'))) ??
		(await onPath(env, 'ffprobe')) ??
		(await fromPackage('@ffprobe-installer/ffprobe'))
	return ffprobe ? { ffmpeg, ffprobe } : undefined
}

/** Throws when a configured program is missing: silently using another one would be a surprise. */
async function configured(
	env: NodeJS.ProcessEnv,
	variable: 'FFMPEG_PATH' | 'FFPROBE_PATH',
): Promise<string | undefined> {
	const path = env[variable]
	if (!path) return undefined
	if (await executable(path)) return path
	throw new UnusableProgramError(`${variable}: ${path} is not an executable file`)
}

export class UnusableProgramError extends Error {
	override name = 'UnusableProgramError'
}

/** Returns the path of a program on PATH. */
export const findProgramOnPath = async (
	env: Readonly<Record<string, string | undefined>>,
	name: string,
): Promise<string | null> => (await onPath(env, name)) ?? null

async function onPath(
	env: Readonly<Record<string, string | undefined>>,
	name: string,
): Promise<string | undefined> {
	for (const directory of (env.PATH ?? '').split(delimiter)) {
		// An empty entry means the working directory, from which no program may be run.
		const path = directory && (await executable(join(directory, name)))
		if (path) return path
	}
	return undefined
}

/** Both packages are optional: a system may not support them, or their download may be missing. */
async function fromPackage(name: string): Promise<string | undefined> {
	try {
		const { default: exported }: { default: string | { path: string } | null } = await import(name)
		const path = typeof exported === 'string' ? exported : exported?.path
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
