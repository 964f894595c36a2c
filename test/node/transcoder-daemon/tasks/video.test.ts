import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { corpus } from '../../../shared/corpus.ts'
import { programs, temporaryFolder } from '../ffmpeg/programs.ts'
import { chunkSpecs, countFrames, encodeChunks, measureSsim, readNumbers } from './encoded.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
	folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

const pictures = corpus.filter(({ video }) => video)

test.concurrent.each(pictures)('$name comes through, every frame once', async (item) => {
	const dir = folder.path
	const path = join(dir, item.file)
	await item.make(programs.ffmpeg, path)
	if (!item.video) return
	const specs = chunkSpecs(item.video)
	const { results, files } = await encodeChunks(specs, path, dir)

	const frames = results.reduce((sum, result) => sum + result.frames, 0)
	expect(frames).toBe(await countFrames(path, item.video.frameRate, dir))
	for (const rung of specs[0]?.rungs ?? []) {
		const made = results.map((result) => result.rungs.find(({ id }) => id === rung.id))
		expect(new Set(made.map((each) => each?.init.sha256)).size).toBe(1)
	}
	for (const [index, file] of files.entries()) {
		const numbers = await readNumbers(file, dir)
		if (item.isNumbered) expect(numbers).toEqual(Array.from({ length: frames }, (_, number) => number))
		const rung = specs[0]?.rungs[index]
		if (rung) expect(await measureSsim(file, item, path, rung, dir)).toBeGreaterThan(0.95)
	}
})
