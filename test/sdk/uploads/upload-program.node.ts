import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from '../../../scripts/lib/root.ts'

/** The arguments of the program, as JSON. */
export type UploadArguments = {
	baseUrl: string
	token: string
	path: string
	assetId: string
	chunkBytes?: number
	/** The file of the state of an interrupted upload. */
	statePath: string
}

/** Uploads a file as docs/sdk.md shows. Prints the largest memory of the process in bytes. */
const code = `
import { readFile, writeFile } from 'node:fs/promises'
import { Playhouse } from ${JSON.stringify(join(root, 'sdk', 'src', 'index.ts'))}
const { baseUrl, token, path, statePath, ...options } = JSON.parse(process.argv[2])
const stored = await readFile(statePath, 'utf8').catch(() => '')
// On Linux, maxRSS also counts the process that started this one.
let peak = 0
await new Playhouse({ baseUrl, token }).uploads.send(path, {
	...options,
	wholeUpToBytes: 0,
	...(stored && { state: JSON.parse(stored) }),
	onState: (state) => writeFile(statePath, JSON.stringify(state)),
	onProgress() {
		peak = Math.max(peak, process.memoryUsage.rss())
	},
})
console.log(peak)
`

/** Builds the program, so that its process loads only the SDK. */
export async function buildUploadProgram(path: string): Promise<void> {
	await build({
		stdin: { contents: code, resolveDir: root },
		bundle: true,
		platform: 'node',
		format: 'esm',
		outfile: path,
		logLevel: 'error',
	})
}
