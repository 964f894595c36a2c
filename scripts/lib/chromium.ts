import { existsSync } from 'node:fs'
import { installDebianPackage } from './debian.ts'

const usualPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Returns the browser for tests: CHROMIUM_PATH, a usualPaths path, or a fresh installation. */
export function provideChromium(env: NodeJS.ProcessEnv): string | undefined {
	const found = [env.CHROMIUM_PATH, ...usualPaths].find((path) => path && existsSync(path))
	return found ?? (installDebianPackage('chromium') ? usualPaths.find((path) => existsSync(path)) : undefined)
}
