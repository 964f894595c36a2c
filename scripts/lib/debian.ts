import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Installs a distribution package if that needs no answer from a person: as root, on Debian and its derivatives. */
export function installDebianPackage(name: string): boolean {
	if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return false
	console.error(`Installing ${name} (apt-get) …`)
	// A new container has no package lists, and outdated lists name versions that no longer exist.
	return aptGet('update') && aptGet('install', '--yes', '--no-install-recommends', name)
}

function aptGet(...args: string[]): boolean {
	const result = spawnSync('apt-get', ['--quiet', ...args], {
		stdio: ['ignore', 'ignore', 'inherit'],
		env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
	})
	return result.status === 0
}
