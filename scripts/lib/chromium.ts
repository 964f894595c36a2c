import { existsSync } from 'node:fs'
import { installDebianPackage } from './debian.ts'

const usualPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Returns the browser for tests: CHROMIUM_PATH, one at a usual path, or a new installation. */
export async function provideChromium({ CHROMIUM_PATH }: NodeJS.ProcessEnv): Promise<string | undefined> {
	if (CHROMIUM_PATH) {
		if (existsSync(CHROMIUM_PATH)) return CHROMIUM_PATH
		throw new Error(`CHROMIUM_PATH: there is no file ${CHROMIUM_PATH}`)
	}
	const findInstalled = () => usualPaths.find((path) => existsSync(path))
	return findInstalled() ?? (installDebianPackage('chromium') ? findInstalled() : undefined)
}
