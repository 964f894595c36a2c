import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { execa } from 'execa'
import { root } from '../root.ts'

const source = join(root, 'sdk', 'src')

/** Builds the package and its types into `out`: one module per file, so that bundlers can drop unused modules. */
export async function buildSdk(out: string): Promise<void> {
	await rm(out, { recursive: true, force: true })
	const files = await readdir(source, { recursive: true })
	await build({
		entryPoints: files.filter((file) => file.endsWith('.ts')).map((file) => join(source, file)),
		outdir: out,
		outbase: source,
		format: 'esm',
		target: 'es2022',
		logLevel: 'error',
	})
	await execa(
		'tsc',
		[
			'-p',
			join(root, 'sdk'),
			'--outDir',
			out,
			'--composite',
			'false',
			'--declaration',
			'--incremental',
			'false',
		],
		{ cwd: root, preferLocal: true },
	)
	await removeInnerDeclarations(out)
	const built = await readdir(out, { recursive: true })
	for (const file of built.filter((file) => /\.(d\.ts|js)$/.test(file))) {
		const text = await readFile(join(out, file), 'utf8')
		await writeFile(
			join(out, file),
			indentWithTabs(text.replace(/(from|import\()( ?['"]\.[^'"\n]*)\.ts(['"])/g, '$1$2.js$3')),
		)
	}
}

/** Removes declarations that `index.d.ts` does not reach. */
async function removeInnerDeclarations(out: string): Promise<void> {
	const isSeen = new Set<string>()
	const see = async (file: string): Promise<void> => {
		if (isSeen.has(file)) return
		isSeen.add(file)
		const text = await readFile(file, 'utf8')
		for (const [, path = ''] of text.matchAll(/['"](\.[^'"\n]*)\.ts['"]/g))
			await see(join(dirname(file), `${path}.d.ts`))
	}
	await see(join(out, 'index.d.ts'))
	for (const file of await readdir(out, { recursive: true })) {
		const path = join(out, file)
		if (file.endsWith('.d.ts') && !isSeen.has(path)) await rm(path)
	}
}

/** Replaces the indentation that the compiler writes: its spaces would be a fifth of the size of the declarations. */
const indentWithTabs = (text: string): string =>
	text.replace(/^( {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4))
