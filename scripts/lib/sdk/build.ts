import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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
	const built = await readdir(out, { recursive: true })
	for (const file of built.filter((file) => /\.(d\.ts|js)$/.test(file))) {
		const text = await readFile(join(out, file), 'utf8')
		await writeFile(
			join(out, file),
			indentWithTabs(text.replace(/(from|import\()( ?['"]\.[^'"\n]*)\.ts(['"])/g, '$1$2.js$3')),
		)
	}
}

/** Replaces the indentation that the compiler writes: its spaces would be a fifth of the size of the declarations. */
const indentWithTabs = (text: string): string =>
	text.replace(/^( {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4))
