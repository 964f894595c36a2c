import { homedir } from 'node:os'
import { join } from 'node:path'

/** Returns the folder of the keys (XDG Base Directory Specification; `%APPDATA%` on Windows). */
export const configFolder = (env: NodeJS.ProcessEnv): string =>
	join(env.XDG_CONFIG_HOME || env.APPDATA || join(homedir(), '.config'), 'playhouse')

/** Returns the folder of interrupted uploads and of checkpoints. */
export const stateFolder = (env: NodeJS.ProcessEnv): string =>
	join(env.XDG_STATE_HOME || env.LOCALAPPDATA || join(homedir(), '.local', 'state'), 'playhouse')
