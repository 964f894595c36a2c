import { open } from 'node:fs/promises'
import { iterateSamples } from '../mp4/segments.ts'
import type { TaskContext } from './task.ts'

/** Segments fetched at a time: enough to hide latency, few enough for memory. */
const PREFETCHED = 4

/** Appends objects to a file, fetching a few ahead; returns the number of samples. Throws on a truncated object. */
export async function appendObjects(
	path: string,
	urls: readonly string[],
	{ fetchObject, signal }: TaskContext,
	onObject: (bytes: Buffer) => void,
): Promise<number> {
	await using file = await open(path, 'w')
	let samples = 0
	const pending: Promise<Buffer>[] = []
	for (let next = 0; next < urls.length || pending.length > 0; ) {
		signal.throwIfAborted()
		while (pending.length < PREFETCHED && next < urls.length) {
			const object = fetchObject(urls[next++] ?? '')
			// The error is thrown when the object's turn comes.
			object.catch(() => {})
			pending.push(object)
		}
		const bytes = await pending.shift()
		if (!bytes) continue
		samples += iterateSamples(bytes).length
		await file.writeFile(bytes)
		onObject(bytes)
	}
	return samples
}
