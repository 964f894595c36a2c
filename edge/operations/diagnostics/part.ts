import type { Deps } from '../../platform/deps.ts'

/** Reads one part of a report; null if it can't be read, so that it hides no other. */
export async function readPart<T>(
	{ log }: Pick<Deps, 'log'>,
	part: string,
	read: () => Promise<T>,
): Promise<T | null> {
	try {
		return await read()
	} catch (error) {
		log.error('reading a part of the diagnostics failed', error, { part })
		return null
	}
}
