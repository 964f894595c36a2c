import { type ExpectedObject, findObjectsInFile } from './expected-objects.ts'
import type { Store } from './stores.ts'

const AT_ONCE = 16

export type Problem = { object: ExpectedObject; what: string }
export type Summary = { checked: number; problems: number }

/**
 * Checks the existence and the known size of each object and of the objects to which it refers. Only a few objects are
 * in memory at a time, and the playlists among them.
 */
export async function verifyMedia(
	objects: AsyncIterator<ExpectedObject>,
	store: Store,
	report: { problem(problem: Problem): void; progress(checked: number): void },
): Promise<Summary> {
	const summary = { checked: 0, problems: 0 }
	const check = async (object: ExpectedObject): Promise<void> => {
		const { bucket, key, sizeBytes, contents } = object
		const found = await store.readSize(bucket, key)
		const what =
			found === null
				? 'is missing'
				: found === 0
					? 'is empty'
					: sizeBytes !== null && found !== sizeBytes
						? `has ${found} bytes instead of ${sizeBytes}`
						: null
		report.progress(++summary.checked)
		if (what !== null) {
			summary.problems++
			report.problem({ object, what })
		}
		if (!contents || found === null) return
		const text = contents === 'subtitles' ? '' : await store.readText(bucket, key)
		for (const inner of findObjectsInFile(object, text)) await check(inner)
	}
	const work = async () => {
		for (let next = await objects.next(); !next.done; next = await objects.next()) await check(next.value)
	}
	await Promise.all(Array.from({ length: AT_ONCE }, work))
	return summary
}
