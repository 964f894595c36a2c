import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Installs a distribution package if no question can come up: as root, on Debian and its derivatives. */
export function installDebianPackage(name: string): boolean {
	if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return false
	console.error(`Installing ${name} (apt-get) …`)
	// A fresh container has no package lists, and those of an old machine name removed versions.
	return aptGet('update') && aptGet('install', '--yes', '--no-install-recommends', name)
}

function aptGet(...args: string[]): boolean {
	const result = spawnSync('apt-get', ['--quiet', ...args], {
		stdio: ['ignore', 'ignore', 'inherit'],
		env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
	})
	return result.status === 0
}
