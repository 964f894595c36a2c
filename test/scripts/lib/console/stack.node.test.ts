import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { createStackMapper } from '../../../../scripts/lib/console/stack.ts'
import { temporaryDirectory } from '../../../support/node/temporary-directory.ts'

test('each stack frame of the bundle is mapped to its source, and other frames are kept', async () => {
	const tree = await temporaryDirectory()
	await writeFile(
		join(tree, 'source.ts'),
		`\n\nexport const fail: () => never = () => {\n\tthrow new Error('x')\n}\n`,
	)
	const bundle = join(tree, 'built', 'worker.js')
	const entryPoints = [join(tree, 'source.ts')]
	await build({ entryPoints, outfile: bundle, bundle: true, format: 'esm', sourcemap: true })
	const lines = (await readFile(bundle, 'utf8')).split('\n')
	const line = lines.findIndex((text) => text.includes('throw new'))
	const column = lines[line]?.indexOf('throw') ?? -1
	const stack = `Error: x\n    at fail (file:///w/worker.js:${line + 1}:${column + 1})\n    at other.js:1:1`
	const map = createStackMapper(() => `${bundle}.map`, tree)
	expect(map(stack)).toBe('Error: x\n    at fail (source.ts:4:2)\n    at other.js:1:1')
	// Without a map the stack stays unchanged.
	expect(createStackMapper(() => join(tree, 'none.map'), tree)(stack)).toBe(stack)
})
