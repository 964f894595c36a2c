import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Installs packages of the distribution where that can be done without asking anyone: as root, on Debian and its kin. */
export function installDebianPackage(name: string): boolean {
	if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return false
	console.error(`Installing ${name} (apt-get) …`)
	// The lists of a fresh container are empty; those of an old machine name versions that are gone.
	return aptGet('update') && aptGet('install', '--yes', '--no-install-recommends', name)
}

function aptGet(...args: string[]): boolean {
	const result = spawnSync('apt-get', ['--quiet', ...args], {
		stdio: ['ignore', 'ignore', 'inherit'],
		env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
	})
	return result.status === 0
}
