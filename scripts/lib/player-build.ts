import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, type BuildResult, build, type Plugin } from 'esbuild'
import { chooseHlsSourceOptions } from './hls-source.ts'

const web = fileURLToPath(new URL('../../edge/web/', import.meta.url))
const player = join(web, 'player')
/** The pages with the player. Each has a script and a style sheet of its name in `edge/web/player`. */
const pages = ['embed', 'watch']
/** A style sheet that the Worker adds to pages of audio without video. */
const AUDIO_STYLES = 'audio'
/** Loaded by `import()` when the viewer is about to play, plays, or opens a dialog, or for audio without video. */
const lazyScripts = [
	'audio/audio-look',
	'playback/engine',
	'playback/native-engine',
	'reporting/report-playback',
	'share/share-dialog',
	'controls/shortcuts-dialog',
]
/** The script that other sites load. Its name never changes, because their pages contain it. */
const EMBED_SCRIPT = 'embed.js'
const BUILD_FILE = 'build.json'

const options = {
	bundle: true,
	minify: true,
	write: false,
	absWorkingDir: web,
	// The first versions with `light-dark()`, on which the colors rely.
	target: ['chrome123', 'firefox120', 'safari17.5'],
	logLevel: 'silent',
	legalComments: 'none',
	metafile: true,
	format: 'esm',
	entryNames: '[name]-[hash]',
} as const satisfies BuildOptions

/**
 * Bundles the player into `out`: scripts whose names contain a hash, and `build.json`, by which the Worker finds them
 * (edge/watch/player/player-build.ts). The styles are a part of that file, because the Worker writes them into the page.
 * Each script is one file: chunks that two of them share would be further requests. Returns the directories of the
 * packages that the scripts contain.
 */
export async function buildPlayer(out: string): Promise<string[]> {
	const lazyFiles = await build({
		...options,
		...(await chooseHlsSourceOptions()),
		entryPoints: lazyScripts.map((name) => join(player, `${name}.ts`)),
		outdir: out,
	})
	const lazyNames = lazyFiles.outputFiles.map(({ path }) => basename(path))
	const [scripts, styles, embedScript] = await Promise.all([
		build({
			...options,
			entryPoints: pages.map((page) => join(player, `${page}.ts`)),
			outdir: out,
			plugins: [builtScripts(lazyNames)],
		}),
		build({
			...options,
			entryPoints: [...pages, AUDIO_STYLES].map((name) => join(player, `${name}.css`)),
			outdir: out,
		}),
		build({
			...options,
			// Pages may load it without type=module, before they show the element.
			format: 'iife',
			entryPoints: [join(player, 'custom-element', 'embed-script.ts')],
			entryNames: EMBED_SCRIPT.replace('.js', ''),
			outdir: out,
		}),
	])
	await mkdir(out, { recursive: true })
	const files = [...lazyFiles.outputFiles, ...scripts.outputFiles, ...embedScript.outputFiles]
	for (const { path, contents } of files) await writeIfChanged(path, contents)
	const record = {
		scripts: byName(pages, (page) => basename(fileOf(scripts, page)?.path ?? '')),
		styles: byName([...pages, AUDIO_STYLES], (name) => fileOf(styles, name)?.text.trim() ?? ''),
	}
	// Last, so that a running Worker never refers to a missing file.
	await writeIfChanged(join(out, BUILD_FILE), Buffer.from(JSON.stringify(record)))
	const names = [BUILD_FILE, ...files.map(({ path }) => basename(path))]
	for (const name of await readdir(out)) if (!names.includes(name)) await rm(join(out, name))
	return packagesIn([lazyFiles, scripts, styles])
}

/** Redirects `import('./engine.ts')` and the like to the built files. */
const builtScripts = (names: readonly string[]): Plugin => ({
	name: 'built-scripts',
	setup({ onResolve }) {
		onResolve(
			{ filter: /\/((native-)?engine|report-playback|audio-look|(share|shortcuts)-dialog)\.ts$/ },
			({ kind, path }) => {
				if (kind !== 'dynamic-import') return
				const name = names.find((each) => each.startsWith(`${basename(path, '.ts')}-`))
				return { path: `./${name}`, external: true }
			},
		)
	},
})

function packagesIn(results: readonly BuildResult[]): string[] {
	const inputs = results.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}))
	const directories = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
	return [...new Set(directories)].map((directory) => join(web, directory))
}

const byName = (names: readonly string[], value: (name: string) => string) =>
	Object.fromEntries(names.map((name) => [name, value(name)]))

const fileOf = ({ outputFiles = [] }: BuildResult, page: string) =>
	outputFiles.find(({ path }) => basename(path).startsWith(`${page}-`))

async function writeIfChanged(path: string, contents: Uint8Array): Promise<void> {
	const existing = await readFile(path).catch(() => null)
	if (!existing?.equals(contents)) await writeFile(path, contents)
}
