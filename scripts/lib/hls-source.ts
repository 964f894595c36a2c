import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions, Plugin } from 'esbuild'

const directory = dirname(fileURLToPath(import.meta.resolve('hls.js/package.json')))
const source = join(directory, 'src')

/** Build flags of hls.js (build-config.js in its repository). */
const flags = {
	__USE_ALT_AUDIO__: true,
	__USE_SUBTITLES__: true,
	__USE_IFRAMES__: true,
	__USE_MEDIA_CAPABILITIES__: true,
	// Our videos have none of these.
	__USE_CMCD__: false,
	__USE_CONTENT_STEERING__: false,
	__USE_EME_DRM__: false,
	__USE_INTERSTITIALS__: false,
	__USE_M2TS_ADVANCED_CODECS__: false,
	__USE_VARIABLE_SUBSTITUTION__: false,
	// The page forbids workers, and segments are passed through as they are.
	__IN_WORKER__: false,
}

/** A module of a feature that is off. It imports a package that nothing else needs. */
const UNUSED_CONTROLLER = /\/cmcd-controller$/
/** Demuxers of containers that our segments never have. */
const UNUSED_DEMUXER = /\/(tsdemuxer|aacdemuxer|ac3-demuxer|mp3demuxer)$/
const NO_DEMUXER = `
class NoDemuxer { static probe() { return false } }
export { NoDemuxer as default, NoDemuxer as AC3Demuxer }`

/**
 * Bundles hls.js from source with only the required features. The script is a quarter smaller than the complete
 * build, and modern syntax starts faster.
 */
export async function chooseHlsSourceOptions() {
	const { version } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')) as {
		version: string
	}
	return {
		define: {
			...Object.fromEntries(Object.entries(flags).map(([name, value]) => [name, String(value)])),
			__HLS_WORKER_BUNDLE__: 'undefined',
			__VERSION__: JSON.stringify(version),
		},
		// Like its own build: a field that a class only declares must not reset the field of its base class.
		tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
		plugins: [hlsSource],
	} satisfies BuildOptions
}

const hlsSource: Plugin = {
	name: 'hls-source',
	setup({ onResolve, onLoad }) {
		onResolve({ filter: /^hls\.js$/ }, () => ({ path: join(source, 'hls.ts') }))
		// As in its own smaller builds.
		onResolve({ filter: UNUSED_CONTROLLER }, ({ importer }) =>
			importer.startsWith(source) ? { path: join(source, 'empty.js') } : undefined,
		)
		onResolve({ filter: UNUSED_DEMUXER }, ({ importer, path }) =>
			importer.startsWith(source) ? { path, namespace: 'no-demuxer' } : undefined,
		)
		onLoad({ filter: /.*/, namespace: 'no-demuxer' }, () => ({ contents: NO_DEMUXER }))
	},
}
