import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { installDebianPackage } from './debian.ts'

/** Installs what transcoders lock programs in with, where that can be done; they say themselves whether it works. */
export function provideBubblewrap(env: NodeJS.ProcessEnv): void {
	if (process.platform !== 'linux') return
	const isThere = (env.PATH ?? '').split(delimiter).some((dir) => dir && existsSync(join(dir, 'bwrap')))
	if (!isThere) installDebianPackage('bubblewrap')
}
