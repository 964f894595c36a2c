import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from '../root.ts'

const NOTICES = 'THIRD-PARTY-NOTICES.txt'

/** Bundles the command line into `out`: a file that parses arguments, and one for each command. */
export async function buildCli(out: string): Promise<void> {
	const { metafile } = await build({
		entryPoints: [join(root, 'sdk', 'cli', 'main.ts')],
		outdir: out,
		bundle: true,
		splitting: true,
		minify: true,
		format: 'esm',
		platform: 'node',
		target: 'node20.3',
		// commander loads the modules of Node with `require`, which ES modules lack.
		banner: {
			js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
		},
		metafile: true,
		absWorkingDir: root,
		logLevel: 'error',
	})
	await writeFile(join(out, NOTICES), await collectLicenses(Object.keys(metafile.inputs)))
}

/** Returns the license texts of the packages that the bundle contains, given by the paths of their files. */
async function collectLicenses(files: readonly string[]): Promise<string> {
	const names = files.flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [])
	const texts = await Promise.all(
		[...new Set(names)].toSorted().map(async (name) => {
			const folder = join(root, 'node_modules', name)
			const { version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
				version: string
				license: string
			}
			const file = (await readdir(folder)).find((each) => /^licen[cs]e(\.|$)/i.test(each))
			if (!file) throw new Error(`${name} has no license text; ask its authors or remove the package`)
			const text = await readFile(join(folder, file), 'utf8')
			return `${name} ${version} (${license})\n\n${text.trim()}\n`
		}),
	)
	return `The command line contains these packages.\n\n${texts.join(`\n${'='.repeat(80)}\n`)}`
}
