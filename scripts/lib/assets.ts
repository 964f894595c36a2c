import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildPlayer } from './player-build.ts'
import type { OpenApi } from './reference/openapi.ts'
import { printReference } from './reference/pages.ts'

const web = fileURLToPath(new URL('../../edge/web/', import.meta.url))
export const pages = join(web, 'pages')
const openapi = fileURLToPath(new URL('../../schema/openapi.json', import.meta.url))
/** The folder of the bundled scripts. */
export const PLAYER_FOLDER = 'player'

export type AssetOptions = {
	/** Whether to include the API reference with its forms (3 MB); deployments leave it out. */
	reference?: boolean
	out?: string
}

/**
 * Builds the static files of the Worker (`[assets]` in wrangler.toml). May run repeatedly. Returns the directories of the
 * packages that are bundled into scripts.
 */
export async function buildAssets({
	reference = true,
	out = join(web, 'public'),
}: AssetOptions = {}): Promise<{ bundledPackages: string[] }> {
	await mkdir(out, { recursive: true })
	for (const page of await readdir(pages))
		if (page !== 'reference' || reference)
			await cp(join(pages, page), join(out, page), { recursive: true, filter: isChanged })
	if (reference) await writeReference(join(out, 'reference'))
	else await rm(join(out, 'reference'), { recursive: true, force: true })
	return { bundledPackages: await buildPlayer(join(out, PLAYER_FOLDER)) }
}

/** Links of the installation have no `.html`, because Cloudflare redirects those. */
async function writeReference(out: string): Promise<void> {
	const document = JSON.parse(await readFile(openapi, 'utf8')) as OpenApi
	const files = printReference(document, { base: '/reference/', suffix: '', canTry: true })
	for (const [name, text] of files)
		if ((await readFile(join(out, name), 'utf8').catch(() => '')) !== text)
			await writeFile(join(out, name), text)
}

/** Copies changed files only, because a running Worker could read a file that is half written. */
async function isChanged(from: string, to: string): Promise<boolean> {
	if ((await stat(from)).isDirectory()) return true
	const [source, existing] = await Promise.all([readFile(from), readFile(to).catch(() => null)])
	return existing === null || !source.equals(existing)
}

if (import.meta.main) await buildAssets({ reference: !process.argv.includes('--no-reference') })
