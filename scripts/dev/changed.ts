import { relative, sep } from 'node:path'

/** What must be rebuilt or reloaded after files have changed. */
export type Changed = {
	worker: boolean
	config: boolean
	pages: boolean
	migrations: boolean
	daemon: boolean
}

/**
 * Maps changed paths to what depends on them. `isInWorker` is needed because the bundle may import a file from
 * anywhere.
 */
export function findAffectedParts(
	paths: Iterable<string>,
	root: string,
	isInWorker: (path: string) => boolean,
): Changed {
	const changed = { worker: false, config: false, pages: false, migrations: false, daemon: false }
	for (const path of paths) {
		const name = relative(root, path).split(sep).join('/')
		const isBelow = (folder: string) => name.startsWith(`${folder}/`)
		if (name === 'wrangler.toml') changed.config = true
		else if (isBelow('schema/migrations')) changed.migrations = true
		else if (isBelow('edge/web')) changed.pages = true
		else if (isBelow('edge') || isBelow('schema')) changed.worker = true
		if (isInWorker(name)) changed.worker = true
		if (isBelow('transcoder-daemon') || isBelow('schema/contract')) changed.daemon = true
	}
	return changed
}
