import { createReadStream } from 'node:fs'
import { expect } from 'vitest'
import type { Rung, Storyboard } from '#schema/contract/video/tasks.ts'
import { readFragments } from '../../../transcoder-daemon/mp4/segments.ts'
import type { TaskContext } from '../../../transcoder-daemon/tasks/task.ts'
import type { CorpusItem } from '../../support/shared/corpus-item.ts'
import { chunkSpecs, compareWithSource, type Encoded, encodeChunks, makeRungs } from './encoded.ts'

/** Returns the numbers from 0 on. */
export const firstNumbers = (length: number) => Array.from({ length }, (_, number) => number)

type Options = { rungs?: readonly Rung[]; storyboard?: Storyboard | null; context?: Partial<TaskContext> }

/**
 * Encodes an item of the corpus in chunks. Every frame must appear once on every rung, in order, and similar to its
 * source.
 */
export async function expectEveryFrameOnce(
	item: CorpusItem,
	path: string,
	dir: string,
	{ rungs, storyboard = null, context = {} }: Options = {},
): Promise<Encoded> {
	if (!item.video) throw new Error(`${item.name} has no video`)
	const { video } = item
	const ladder = [...(rungs ?? makeRungs(item.video))]
	const specs = chunkSpecs(item.video, { rungs: ladder, storyboard }, item.seconds > 60 ? 60 : 2)
	const encoded = await encodeChunks(specs, path, dir, context)
	const { results, files } = encoded

	const frames = results.reduce((sum, result) => sum + result.frames, 0)
	const compared = await compareWithSource(
		{ path, fps: video.frameRate, reference: item.reference },
		ladder.map(({ width, height }, index) => ({ path: files[index] ?? '', width, height })),
		dir,
	)
	expect(frames).toBe(compared.source.length)
	for (const rung of ladder) {
		const parts = results.map((result) => result.rungs.find(({ id }) => id === rung.id))
		expect(new Set(parts.map((each) => each?.init.sha256)).size).toBe(1)
	}
	for (const [index, file] of files.entries()) {
		await expectContinuity(file, frames)
		const { numbers, ssim = 0 } = compared.rungs[index] ?? {}
		// At a variable rate, each frame must last as long as in a single encode.
		expect(numbers).toEqual(item.isNumbered ? firstNumbers(frames) : compared.source)
		if (process.env.CORPUS) console.log(`${item.name} ${ladder[index]?.id}: ${frames} frames, SSIM ${ssim}`)
		expect(ssim).toBeGreaterThan(0.95)
	}
	return encoded
}

/**
 * Checks continuity across chunks: each fragment begins where the one before ended, and the first frame is at one
 * second.
 */
export async function expectContinuity(file: string, frames: number): Promise<void> {
	let end: number | undefined
	let timescale = 0
	let samples = 0
	for await (const part of readFragments(createReadStream(file))) {
		if (part.kind === 'init') {
			timescale = part.timescale
			continue
		}
		// Both are needed, or hls.js finds nothing at the beginning.
		if (end === undefined) expect([part.firstPts, part.baseTime]).toEqual([timescale, timescale])
		else expect(part.baseTime).toBe(end)
		end = part.baseTime + part.durationTicks
		samples += part.samples
	}
	expect(samples).toBe(frames)
}
