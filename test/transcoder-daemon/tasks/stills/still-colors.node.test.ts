/** @module-tag ffmpeg */

import { execa } from 'execa'
import { afterAll, expect, test } from 'vitest'
import { runInspect } from '../../../../transcoder-daemon/tasks/inspect.ts'
import { runStills } from '../../../../transcoder-daemon/tasks/stills/stills.ts'
import { runVideo } from '../../../../transcoder-daemon/tasks/video.ts'
import { videoSpec } from '../../corpus/encoded.ts'
import { programs, temporaryFolder } from '../../ffmpeg/programs.ts'
import { makeVideo } from '../make-video.ts'
import { MemoryOutputs, taskContext } from '../task-context.ts'

const folder = await temporaryFolder()
afterAll(() => folder[Symbol.asyncDispose]())

/** Returns the mean color of an image. */
async function meanColor(image: Buffer | undefined, format: 'mjpeg' | 'webp_pipe'): Promise<number[]> {
	const { stdout } = await execa(
		programs.ffmpeg,
		[
			...['-loglevel', 'error', '-f', format, '-i', 'pipe:0'],
			...['-vf', 'scale=1:1:flags=area,format=rgb24', '-frames:v', '1', '-f', 'rawvideo', '-'],
		],
		{ input: image ?? Buffer.alloc(0), encoding: 'buffer' },
	)
	return [...stdout]
}

/** Returns the first frame of an animated WebP as a file of its own, because ffmpeg reads no animations. */
function firstFrameOf(animation: Buffer = Buffer.alloc(0)): Buffer {
	const from = animation.indexOf('VP8 ')
	const chunk = animation.subarray(from, from + 8 + animation.readUInt32LE(from + 4))
	const header = Buffer.from('RIFF....WEBP')
	header.writeUInt32LE(4 + chunk.length, 4)
	return Buffer.concat([header, chunk])
}

const GREEN = [32, 192, 64]
/** JPEG and WebP quantize colors. */
const MAX_DIFFERENCE = 8

test.each([
	['bt709', '640x360'],
	['smpte170m', '640x360'],
	['bt709', '1280x720'],
])('images of a %s video of %s have its colors', async (space, size) => {
	const path = await makeVideo(folder.path, {
		...{ name: `${space}-${size}.mp4`, size, seconds: 1, sound: false },
		args: [
			...[
				'-vf',
				`format=gbrp,drawbox=color=0x20c040:t=fill,scale=out_color_matrix=${space}:out_range=tv,format=yuv420p`,
			],
			...['-colorspace', space, '-color_primaries', space, '-color_trc', space],
		],
	})
	const { info } = await runInspect({ kind: 'inspect', maxDurationSec: 600 }, taskContext(path, folder.path))
	const { video } = info
	if (!video) throw new Error('no video')
	const storyboard = { everyFrames: 3, tileWidth: 160, tileHeight: 90, columns: 5 }
	const outputs = new MemoryOutputs()
	const context = taskContext(path, folder.path, { outputs })
	const poster = { width: video.displayWidth, height: video.displayHeight }
	const { fps, prepare } = videoSpec(video)
	await runStills(
		{
			...{ kind: 'stills', video, prepare, fps, durationSec: 1, poster, preview: poster },
			storyboard: { ...storyboard, tilesPerSheet: 10, frames: 30 },
		},
		context,
	)
	await runVideo(videoSpec(video, { storyboard }), context)
	const { stored } = outputs
	const colors = {
		poster: await meanColor(stored.get('poster.jpg'), 'mjpeg'),
		preview: await meanColor(firstFrameOf(stored.get('preview.webp')), 'webp_pipe'),
		'sheet of the stills task': await meanColor(stored.get('sheets/0.jpg'), 'mjpeg'),
		'sheet of the chunk': await meanColor(stored.get('sheet.jpg'), 'mjpeg'),
	}
	for (const [image, color] of Object.entries(colors))
		for (const [channel, value] of GREEN.entries())
			expect(Math.abs((color[channel] ?? 0) - value), `${image}: ${color}`).toBeLessThanOrEqual(
				MAX_DIFFERENCE,
			)
})
