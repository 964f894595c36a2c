/** @module-tag ffmpeg */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, expect, test } from 'vitest'
import { TaskResult, type TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import { runInspect } from '../../../../transcoder-daemon/tasks/inspect.ts'
import { runPoster } from '../../../../transcoder-daemon/tasks/stills/frame-poster.ts'
import { runVideo } from '../../../../transcoder-daemon/tasks/video.ts'
import { strip } from '../../../support/shared/frame-numbers.ts'
import { readNumbers, rung, videoSpec } from '../../corpus/encoded.ts'
import { programs, temporaryFolder } from '../../ffmpeg/programs.ts'
import { ffmpeg } from '../make-video.ts'
import { MemoryOutputs, taskContext } from '../task-context.ts'

const folder = await temporaryFolder()
afterAll(() => folder[Symbol.asyncDispose]())

const FRAMES_PER_SEGMENT = 30

/** Makes segments of numbered frames with the product's own task. */
async function present() {
	const source = join(folder.path, 'source.mkv')
	await ffmpeg(
		...['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=30000/1001:d=3', '-vf', strip.join(',')],
		...['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '20', source],
	)
	const outputs = new MemoryOutputs()
	const context = taskContext(source, folder.path, { outputs })
	const { info } = await runInspect({ kind: 'inspect', maxDurationSec: 60 }, context)
	if (!info.video) throw new Error('the source has no video')
	const frames = Math.round((info.video.durationSec * 30_000) / 1_001)
	const cuts = Array.from({ length: frames / FRAMES_PER_SEGMENT }, (_, index) => index * FRAMES_PER_SEGMENT)
	await runVideo(videoSpec(info.video, { cuts, rungs: [rung(320, 180)] }), context)
	return { outputs, frames }
}

const presented = present()

async function make(frame: number, segment = Math.floor(frame / FRAMES_PER_SEGMENT)) {
	const { outputs: source } = await presented
	const { id } = rung(320, 180)
	const spec: TaskSpecByKind<'poster'> = {
		...{ kind: 'poster', atSec: 0, fps: { num: 30_000, den: 1_001 }, frame, width: 320, height: 180 },
		video: [`https://media.test/${id}/init.mp4`, `https://media.test/${id}/${segment}.m4s`],
	}
	const outputs = new MemoryOutputs()
	const fetchObject = async (url: string) => {
		const bytes = source.stored.get(new URL(url).pathname.slice(1))
		if (!bytes) throw new Error(`no object ${url}`)
		return bytes
	}
	const result = await runPoster(spec, {
		...taskContext('', folder.path, { outputs, fetchObject }),
		sourcePath: null,
	})
	return { result, poster: outputs.stored.get('poster.jpg') ?? Buffer.alloc(0) }
}

test('a poster is exactly its frame, in the size of the rendition', async () => {
	const { frames } = await presented
	for (const frame of [0, 1, 29, 30, 47, frames - 1]) {
		const { result, poster } = await make(frame)
		expect(TaskResult.parse(result)).toEqual(result)
		expect(result.poster).toEqual({ name: 'poster.jpg', bytes: poster.length })
		const file = join(folder.path, `poster-${frame}.jpg`)
		await writeFile(file, poster)
		expect(await readNumbers(file, folder.path), `frame ${frame}`).toEqual([frame])
		const { stdout } = await execa(programs.ffprobe, [
			...['-loglevel', 'error', '-show_entries', 'stream=codec_name,width,height', '-of', 'csv=p=0', file],
		])
		expect(stdout).toBe('mjpeg,320,180')
	}
})

test('a poster task fails if its segment does not contain the frame', async () => {
	await expect(make(47, 0)).rejects.toThrow('the segment has no frame 47')
})
