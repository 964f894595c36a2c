import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { createStackMapper } from '../../../../scripts/lib/console/stack.ts'
import { compactBundle } from '../../../../scripts/lib/runtime/compact-bundle.ts'

const source = `// A comment with “quotes” and 🎬.
export const matches = (text: string) => [/[“”–]/u.test(text), /^🎬+$/u.test(text), /[é]/.test(text), /[🎬]/.test(text)]

export const texts = {
	string: 'film “🎬” é',
	template: \`–\${'🎬'}–\`,
	raw: String.raw\`é\\n\`,
}

/** Fails in line 12. */
export function fail(): never {
	throw new Error('failed')
}
`

test('a compacted bundle keeps its behavior and positions, in ASCII', async () => {
	await using folder = await mkdtempDisposable(join(tmpdir(), 'compact-'))
	await writeFile(join(folder.path, 'source.ts'), source)
	const bundle = join(folder.path, 'worker.js')
	await build({
		...{ entryPoints: [join(folder.path, 'source.ts')], outfile: bundle, bundle: true },
		...{ format: 'esm', target: 'es2024', sourcemap: true, keepNames: true },
	})
	const { length } = await readFile(bundle)
	await compactBundle(bundle)

	const compact = await readFile(bundle, 'utf8')
	expect(compact.length).toBeLessThan(length)
	expect(compact.replace('String.raw`é', '')).not.toMatch(/[^\0-\x7f]/)
	const { matches, texts, fail } = await import(/* @vite-ignore */ pathToFileURL(bundle).href)
	expect(matches('”')).toEqual([true, false, false, false])
	expect(matches('🎬🎬')).toEqual([false, true, false, true])
	expect(matches('é')).toEqual([false, false, true, false])
	expect(matches('u')).toEqual([false, false, false, false])
	expect(texts).toEqual({ string: 'film “🎬” é', template: '–🎬–', raw: 'é\\n' })
	expect(stackOf(fail, join(folder.path, 'worker.js.map'), folder.path)).toContain('source.ts:12:')
})

function stackOf(fail: () => void, map: string, root: string): string {
	try {
		fail()
	} catch (error) {
		return createStackMapper(() => map, root)((error as Error).stack ?? '')
	}
	return ''
}
