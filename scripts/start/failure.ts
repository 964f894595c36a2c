/** Something the person at the keyboard can mend: told in one line, without a stack. */
export class StartFailure extends Error {
	override name = 'StartFailure'
}

/** One line for what the operating system refuses; undefined for what is our own mistake. */
export function explainFailure(error: unknown): string | undefined {
	if (error instanceof StartFailure) return error.message
	if (!(error instanceof Error) || !('code' in error)) return undefined
	const where = 'path' in error && typeof error.path === 'string' ? error.path : 'the disk'
	switch (error.code) {
		case 'ENOSPC':
		case 'EDQUOT':
		case 'ERR_SQLITE_FULL':
			return `no space left: ${where} cannot be written; free some space or set DATA_DIR to another disk`
		case 'EACCES':
		case 'EPERM':
			return `no permission: ${where} cannot be read or written by this user`
		case 'EROFS':
			return `${where} is on a disk that can only be read; set DATA_DIR to another place`
		case 'ENOTDIR':
		case 'EEXIST':
			return `${where} is in the way: a directory was expected there`
		case 'ERR_ADDRESS_IN_USE':
			return 'the port is taken by another program; stop it or set PORT to another number'
		default:
			return undefined
	}
}
