import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { renderPage, type Sources } from './baseline-page.ts'

export type DownloadedName = 'mux-player' | 'vidstack'
export const downloadedNames: readonly DownloadedName[] = ['mux-player', 'vidstack']
export const downloadedPackages = ['@mux/mux-player@3.14.0', 'vidstack@1.15.6', 'hls.js@1.7.4']

/** The modules that the documentation of Vidstack names for bundlers. The default is hls.js from another host. */
const VIDSTACK = `import 'vidstack/player'
import 'vidstack/player/layouts'
import 'vidstack/player/ui'
addEventListener('provider-change', ({ detail }) => {
	if (detail?.type === 'hls') detail.library = () => import('hls.js')
}, { capture: true })`

/** Returns the scripts and styles of other players from a folder in which npm installed them. The keys are paths. */
export async function readDownloadedFiles(
	folder: string,
): Promise<Map<string, { type: string; body: Buffer }>> {
	const packages = resolve(folder, 'node_modules')
	const { outputFiles } = await build({
		stdin: { contents: VIDSTACK, resolveDir: folder },
		nodePaths: [packages],
		bundle: true,
		minify: true,
		splitting: true,
		format: 'esm',
		write: false,
		entryNames: 'vidstack',
		outdir: '/',
		conditions: ['production'],
	})
	const styles = ['styles/default/theme.css', 'styles/default/layouts/video.css'].map((name) =>
		readFile(join(packages, 'vidstack/player', name)),
	)
	const script = 'text/javascript'
	return new Map([
		[
			'/baselines/mux-player.js',
			{ type: script, body: await readFile(join(packages, '@mux/mux-player/dist/mux-player.js')) },
		],
		['/baselines/vidstack.css', { type: 'text/css', body: Buffer.concat(await Promise.all(styles)) }],
		...outputFiles.map(
			({ path, contents }) => [`/baselines${path}`, { type: script, body: Buffer.from(contents) }] as const,
		),
	])
}

/** The pages as the documentation of each player shows them, and with the poster preloaded as ours is. */
export const renderDownloadedPages = ({ manifest, poster }: Sources): Map<string, string> =>
	new Map([
		[
			'/baselines/mux-player',
			renderPage(
				poster,
				`<style>
body { margin: 0; background: #000 }
mux-player { display: block; width: 100vw; height: 100vh }
</style>`,
				`<mux-player src="${manifest}" poster="${poster}" disable-tracking disable-cookies></mux-player>
<script src="/baselines/mux-player.js" defer></script>`,
			),
		],
		[
			'/baselines/vidstack',
			renderPage(
				poster,
				`<link rel="stylesheet" href="/baselines/vidstack.css">
<style>
body { margin: 0; background: #000 }
media-player { width: 100vw; height: 100vh }
</style>`,
				`<media-player src="${manifest}" playsinline>
<media-provider><media-poster class="vds-poster" src="${poster}"></media-poster></media-provider>
<media-video-layout></media-video-layout>
</media-player>
<script type="module" src="/baselines/vidstack.js"></script>`,
			),
		],
	])
