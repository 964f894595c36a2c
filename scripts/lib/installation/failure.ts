/** An error that the user can fix; printed in one line, without a stack. */
export class StartFailure extends Error {
	override name = 'StartFailure'
}

/** Returns one line for an error of the operating system; undefined for a bug of ours. */
export function explainFailure(error: unknown): string | undefined {
	if (error instanceof StartFailure) return error.message
	if (!(error instanceof Error) || !('code' in error)) return undefined
	const where = 'path' in error && typeof error.path === 'string' ? error.path : 'the disk'
	switch (error.code) {
		case 'ENOSPC':
		case 'EDQUOT':
		case 'ERR_SQLITE_FULL':
			return `no space left: ${where} can't be written; free some space or set DATA_DIR to another disk`
		case 'EACCES':
		case 'EPERM':
			return `no permission: this user can't read or write ${where}; change its owner or permissions`
		case 'EROFS':
			return `${where} is on a read-only disk; set DATA_DIR to another folder`
		case 'ENOENT':
			return `${where} can't be created there; set DATA_DIR to another folder`
		case 'ENOTDIR':
		case 'EEXIST':
			return `${where} is not a directory; remove it, or set DATA_DIR to another folder`
		case 'ERR_ADDRESS_IN_USE':
			return 'another program uses the port; stop it or set PORT to another number'
		default:
			return undefined
	}
}
