import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { VideoInfo } from '#schema/contract/video/media-info.ts'
import { runFfprobe } from '../../../transcoder-daemon/ffmpeg/run.ts'
import { corpus } from '../../support/shared/corpus.ts'
import { needs } from '../../support/shared/needs.ts'
import { chunkSpecs, compareWithSource, encodeChunks } from '../corpus/encoded.ts'
import { programs, temporaryFolder } from '../ffmpeg/programs.ts'

const clipsDir = process.env.PLAYHOUSE_MEDIA_DIR
const clips = clipsDir ? (await readdir(clipsDir)).filter((name) => /\.(mp4|mov|mkv|webm)$/.test(name)) : []

test.for(clips.length > 0 ? clips : ['none'])(
	'real footage is encoded: %s',
	needs({ 'PLAYHOUSE_MEDIA_DIR, a folder of clips': clips.length > 0 }),
	async (name) => {
		await using folder = await temporaryFolder()
		const path = join(clipsDir ?? '', name)
		const video = await describe(path, folder.path)
		const specs = chunkSpecs(video, {}, 8)
		const { results, files } = await encodeChunks(specs, path, folder.path)
		const frames = results.reduce((sum, result) => sum + result.frames, 0)
		const rungs = (specs[0]?.rungs ?? []).map((rung, index) => ({ ...rung, path: files[index] ?? '' }))
		const source = { path, fps: video.frameRate, reference: 'null' }
		const compared = await compareWithSource(source, rungs, folder.path)
		expect(frames).toBe(compared.source.length)
		expect(compared.rungs.length).toBe(rungs.length)
		for (const { ssim } of compared.rungs) expect(ssim).toBeGreaterThan(0.95)
	},
)

/** Describes a plain H.264 clip at a constant rate. */
async function describe(path: string, dir: string): Promise<VideoInfo> {
	const plainVideo = corpus.find(({ name }) => name === 'pal-25')?.video
	if (!plainVideo) throw new Error('the corpus has no plain video')
	const entries = 'stream=width,height,avg_frame_rate,duration,start_time'
	const { value } = await runFfprobe(
		{
			programs,
			args: ['-select_streams', 'v:0', '-show_entries', entries, '-of', 'json', path],
			access: { workDir: dir, readable: [] },
			signal: new AbortController().signal,
			timeoutMs: 60_000,
		},
		async (stdout) => Buffer.concat(await stdout.toArray()).toString(),
	)
	const { width, height, avg_frame_rate, duration, start_time } = JSON.parse(value).streams[0]
	const [num, den] = avg_frame_rate.split('/').map(Number)
	return {
		...plainVideo,
		codedWidth: width,
		codedHeight: height,
		displayWidth: width,
		displayHeight: height,
		frameRate: { num, den },
		durationSec: Number(duration),
		startSec: Number(start_time),
		longestGopSec: null,
	}
}
