import { cp, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildPlayer } from './player-build.ts'

const web = fileURLToPath(new URL('../../edge/web/', import.meta.url))
export const pages = join(web, 'pages')
/** The folder of the bundled scripts. */
export const PLAYER_FOLDER = 'player'

const directoryOf = (packageJson: string): string => dirname(fileURLToPath(packageJson))

/** Files of packages that the pages include. `scripts/generate/notices.ts` prints their licenses. */
export const packageFiles = [
	{
		name: 'swagger-ui-dist',
		directory: directoryOf(import.meta.resolve('swagger-ui-dist/package.json')),
		files: ['swagger-ui-bundle.js', 'swagger-ui.css'],
	},
]

export type AssetOptions = {
	/** Whether to include the interactive API reference (2 MB); deployments leave it out. */
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
	if (reference)
		for (const { directory, files } of packageFiles)
			for (const file of files)
				await cp(join(directory, file), join(out, 'reference', file), { filter: isChanged })
	else await rm(join(out, 'reference'), { recursive: true, force: true })
	return { bundledPackages: await buildPlayer(join(out, PLAYER_FOLDER)) }
}

/** Copies changed files only, because a running Worker could read a file that is half written. */
async function isChanged(from: string, to: string): Promise<boolean> {
	if ((await stat(from)).isDirectory()) return true
	const [source, existing] = await Promise.all([readFile(from), readFile(to).catch(() => null)])
	return existing === null || !source.equals(existing)
}

if (import.meta.main) await buildAssets({ reference: !process.argv.includes('--no-reference') })
