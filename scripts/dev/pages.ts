import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buildAssets } from '../lib/assets.ts'
import { root } from '../lib/root.ts'

const web = join(root, 'edge', 'web')
const pages = join(web, 'pages')
const out = join(web, 'public')

/** Rebuilds the pages. Returns whether files were added or removed, because the runtime caches the file list. */
export async function rebuildPages(
	paths: ReadonlySet<string>,
	exists: (path: string) => boolean,
): Promise<boolean> {
	const before = await names()
	for (const path of paths)
		if (path.startsWith(`${pages}/`) && !exists(path))
			await rm(join(out, path.slice(pages.length)), { force: true })
	await buildAssets()
	const after = await names()
	return before.join('\n') !== after.join('\n')
}

const names = async () => (await readdir(out, { recursive: true })).toSorted()
