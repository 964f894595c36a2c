import { readFileSync, statSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { dirname, join, relative } from 'node:path'

const FRAME = /(\(|at )([^()\s]*\/)?(worker\.js):(\d+):(\d+)/g

/**
 * Returns a function that replaces positions in the bundled Worker by positions in the sources. `map` returns the
 * path of the source map.
 */
export function createStackMapper(map: () => string, root: string): (stack: string) => string {
	let cached: { path: string; mtimeMs: number; sources: SourceMap } | undefined
	const load = () => {
		const path = map()
		const { mtimeMs } = statSync(path)
		if (cached?.path !== path || cached.mtimeMs !== mtimeMs) {
			const payload = JSON.parse(readFileSync(path, 'utf8')) as SourceMapPayload
			cached = { path, mtimeMs, sources: new SourceMap(payload) }
		}
		return cached
	}
	return (stack) => {
		if (!stack.includes('worker.js:')) return stack
		try {
			const { path, sources } = load()
			return stack.replace(FRAME, (frame, before: string, _folder, _file, line: string, column: string) => {
				const found = sources.findEntry(Number(line) - 1, Number(column) - 1)
				if (!('originalSource' in found)) return frame
				const source = relative(root, join(dirname(path), found.originalSource))
				return `${before}${source}:${found.originalLine + 1}:${found.originalColumn + 1}`
			})
		} catch {
			// Without a source map keep the positions in the bundle.
			return stack
		}
	}
}
