import { existsSync } from 'node:fs'
import { installDebianPackage } from './debian.ts'

const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The browser for tests: as the environment says, where distributions put it, or installed now. */
export function provideChromium(env: NodeJS.ProcessEnv): string | undefined {
	const known = [env.CHROMIUM_PATH, ...usual].find((path) => path && existsSync(path))
	return known ?? (installDebianPackage('chromium') ? usual.find((path) => existsSync(path)) : undefined)
}
