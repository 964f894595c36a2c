import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { installDebianPackage } from './debian.ts'

/** Installs bubblewrap if possible. The transcoder itself reports whether its sandbox works. */
export async function provideBubblewrap(env: NodeJS.ProcessEnv): Promise<void> {
	if (process.platform !== 'linux') return
	const isInstalled = (env.PATH ?? '').split(delimiter).some((dir) => dir && existsSync(join(dir, 'bwrap')))
	if (!isInstalled) await installDebianPackage('bubblewrap', 'run ffmpeg in a sandbox', env)
}
