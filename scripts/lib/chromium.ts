import { existsSync } from 'node:fs'
import { installDebianPackage } from './debian.ts'

const usualPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Returns the browser for tests: CHROMIUM_PATH, one at a usual path, or a new installation. */
export function provideChromium(env: NodeJS.ProcessEnv): string | undefined {
	const found = [env.CHROMIUM_PATH, ...usualPaths].find((path) => path && existsSync(path))
	return found ?? (installDebianPackage('chromium') ? usualPaths.find((path) => existsSync(path)) : undefined)
}
