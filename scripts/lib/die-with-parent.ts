import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Returns whether a process can ask the kernel to end it with its parent. */
export function canDieWithParent(path = process.env.PATH ?? ''): boolean {
	if (process.platform !== 'linux') return false
	return path.split(delimiter).some((folder) => {
		try {
			accessSync(join(folder, 'setpriv'), constants.X_OK)
			return folder !== ''
		} catch {
			return false
		}
	})
}

/** Returns a command whose process gets `signal` when this process ends, even if it is killed. */
export const wrapToDieWithParent = (signal: string, command: readonly string[]): readonly string[] =>
	canDieWithParent() ? ['setpriv', '--pdeathsig', signal, '--', ...command] : command
