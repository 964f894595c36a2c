import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { USAGE } from '../frame/exit-codes.ts'
import { CommandFailure } from '../frame/failure.ts'
import { configFolder } from './folders.ts'
import { readPrivateJson, writePrivateFile } from './private-file.ts'

/** An installation and the key for it. */
export type Profile = { url: string; apiKey: string; allowInsecureHttp?: true }

const NAME = /^[a-z0-9][a-z0-9.-]{0,99}$/

const profileFolder = (env: NodeJS.ProcessEnv) => join(configFolder(env), 'profiles')
const currentPath = (env: NodeJS.ProcessEnv) => join(configFolder(env), 'current-profile')

function profilePath(env: NodeJS.ProcessEnv, name: string): string {
	if (NAME.test(name)) return join(profileFolder(env), `${name}.json`)
	throw new CommandFailure(
		`the name of the profile is not valid; use up to 100 lower-case letters, digits, dots and hyphens`,
		USAGE,
	)
}

/** Returns the name of a profile for an installation, such as `video.example.com`. */
export const nameProfile = (url: string): string =>
	new URL(url).host.replace(/[^a-z0-9.-]+/g, '-').replace(/^-/, '')

export async function readProfile(env: NodeJS.ProcessEnv, name: string): Promise<Profile | undefined> {
	const path = profilePath(env, name)
	const profile = await readPrivateJson(path)
	if (profile === undefined || isProfile(profile)) return profile
	throw new CommandFailure(`${path} is not a profile; remove the file and run: playhouse login`)
}

function isProfile(value: unknown): value is Profile {
	const { url, apiKey } = (value ?? {}) as Partial<Profile>
	return typeof url === 'string' && URL.canParse(url) && typeof apiKey === 'string'
}

/** Stores a profile, and makes it the current one. */
export async function writeProfile(env: NodeJS.ProcessEnv, name: string, profile: Profile): Promise<void> {
	await writePrivateFile(profilePath(env, name), `${JSON.stringify(profile, null, '\t')}\n`)
	await selectProfile(env, name)
}

export const removeProfile = (env: NodeJS.ProcessEnv, name: string): Promise<void> =>
	rm(profilePath(env, name), { force: true })

export const selectProfile = (env: NodeJS.ProcessEnv, name: string): Promise<void> =>
	writePrivateFile(currentPath(env), `${name}\n`)

/** Returns the name of the current profile, which may not exist. */
export async function currentProfile(env: NodeJS.ProcessEnv): Promise<string | undefined> {
	if (env.PLAYHOUSE_PROFILE) return env.PLAYHOUSE_PROFILE
	const name = await readFile(currentPath(env), 'utf8').catch(ignoreMissing)
	return name?.trim() || undefined
}

export async function listProfiles(env: NodeJS.ProcessEnv): Promise<string[]> {
	const files = (await readdir(profileFolder(env)).catch(ignoreMissing)) ?? []
	return files
		.filter((file) => file.endsWith('.json'))
		.map((file) => file.slice(0, -'.json'.length))
		.toSorted()
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
	if (error.code !== 'ENOENT') throw error
}
