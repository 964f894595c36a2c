import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../scripts/lib/root.ts'

/** Returns the TypeScript of all documents that show the SDK, in order. */
export async function readExamples(): Promise<string[]> {
	const paths = ['README.md', 'docs/sdk.md', 'sdk/README.md']
	const documents = await Promise.all(paths.map((path) => readFile(join(root, path), 'utf8')))
	return documents.flatMap((text) => [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code))
}
