import { copyFile, cp, mkdir, rm } from 'node:fs/promises'
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
	await cp(join(pages, 'landing'), join(out, 'landing'), { recursive: true })
	if (!reference) return rm(join(out, 'reference'), { recursive: true, force: true })
	await cp(join(pages, 'reference'), join(out, 'reference'), { recursive: true })
	const bundle = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')))
	for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css'])
		await copyFile(join(bundle, file), join(out, 'reference', file))
}

if (import.meta.main) await buildAssets({ reference: !process.argv.includes('--no-reference') })
