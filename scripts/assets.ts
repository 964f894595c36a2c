import { cp, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const web = fileURLToPath(new URL('../edge/web/', import.meta.url))
const pages = join(web, 'pages')
const out = join(web, 'public')

export type AssetOptions = {
	/** The interactive reference is for development: a deploy leaves its 2 MB at home. */
	reference?: boolean
}

/** Lays out what the Worker serves as static files (`[assets]` in wrangler.toml). Takes milliseconds, as often as you like. */
export async function buildAssets({ reference = true }: AssetOptions = {}): Promise<void> {
	await mkdir(out, { recursive: true })
	for (const page of await readdir(pages))
		if (page !== 'reference' || reference)
			await cp(join(pages, page), join(out, page), { recursive: true, filter: isChanged })
	if (!reference) return rm(join(out, 'reference'), { recursive: true, force: true })
	const bundle = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')))
	for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css'])
		await cp(join(bundle, file), join(out, 'reference', file), { filter: isChanged })
}

/** A Worker may be reading a file just now, and would find it half written: what is the same stays untouched. */
async function isChanged(from: string, to: string): Promise<boolean> {
	if ((await stat(from)).isDirectory()) return true
	const [fresh, present] = await Promise.all([readFile(from), readFile(to).catch(() => null)])
	return present === null || !fresh.equals(present)
}

if (import.meta.main) await buildAssets({ reference: !process.argv.includes('--no-reference') })
