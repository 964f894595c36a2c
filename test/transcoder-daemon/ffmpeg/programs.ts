import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chooseUnprivilegedOptions, quietEnv } from '../../../transcoder-daemon/machine/sandbox.ts'
import type { Programs } from '../../../transcoder-daemon/tasks/task.ts'

const setpriv = '/usr/bin/setpriv'
const unprivileged = existsSync(setpriv) ? [setpriv, ...chooseUnprivilegedOptions(), '--'] : []
const quiet = Object.entries(quietEnv).map(([name, value]) => `${name}=${value}`)

/** The real programs without a sandbox, and without root's capabilities. */
export const programs: Programs = {
	ffmpeg: process.env.FFMPEG_PATH ?? 'ffmpeg',
	ffprobe: process.env.FFPROBE_PATH ?? 'ffprobe',
	confine: (command) => [...unprivileged, '/usr/bin/env', ...quiet, ...command],
}

export async function temporaryFolder(): Promise<{ path: string } & AsyncDisposable> {
	const path = await mkdtemp(join(tmpdir(), 'playhouse-'))
	return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
