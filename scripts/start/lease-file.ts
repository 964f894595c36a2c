import { randomUUID } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type LeaseFile = {
	/** A name of this data directory that no other one has, except copies of it. */
	holder: string
	/** The last term that this data directory has asked for. */
	readonly term: number
	write(term: number): Promise<void>
}

/** Opens DATA_DIR/lease.json, which says who this installation is in the lease of a database. */
export async function openLeaseFile(dataDir: string): Promise<LeaseFile> {
	const path = join(dataDir, 'lease.json')
	const stored = parse(await readFile(path, 'utf8').catch(() => ''))
	const holder = stored?.holder ?? randomUUID()
	let term = stored?.term ?? 0
	return {
		holder,
		get term() {
			return term
		},
		async write(next) {
			// A process that is killed leaves the former file or the next one, never a part of one.
			const draft = `${path}.partial`
			await writeFile(draft, `${JSON.stringify({ holder, term: next })}\n`, { mode: 0o600, flush: true })
			await rename(draft, path)
			term = next
		},
	}
}

/** A missing or damaged file yields a new holder, which waits until the former lease has expired. */
function parse(text: string): { holder: string; term: number } | undefined {
	try {
		const { holder, term } = JSON.parse(text)
		return typeof holder === 'string' && Number.isSafeInteger(term) ? { holder, term } : undefined
	} catch {
		return undefined
	}
}
