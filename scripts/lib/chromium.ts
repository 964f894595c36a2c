import { existsSync } from 'node:fs'
import { findProgramOnPath } from '../../transcoder-daemon/ffmpeg/binary.ts'
import { installDebianPackage } from './debian.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Returns the path of the browser for tests: CHROMIUM_PATH, or one on PATH. Throws if CHROMIUM_PATH is wrong. */
export async function findChromium(env: NodeJS.ProcessEnv): Promise<string | undefined> {
	const { CHROMIUM_PATH } = env
	if (CHROMIUM_PATH) {
		if (existsSync(CHROMIUM_PATH)) return CHROMIUM_PATH
		throw new Error(`CHROMIUM_PATH: there is no file ${CHROMIUM_PATH}`)
	}
	for (const name of names) {
		const path = await findProgramOnPath(env, name)
		if (path) return path
	}
	return undefined
}

/** Finds the browser for tests, or installs it if possible. */
export const provideChromium = async (env: NodeJS.ProcessEnv): Promise<string | undefined> =>
	(await findChromium(env)) ??
	((await installDebianPackage('chromium', 'test pages in a browser', env)) ? findChromium(env) : undefined)
