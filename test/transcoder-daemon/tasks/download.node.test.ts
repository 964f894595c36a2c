/** @module-tag ffmpeg */

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, expect, test } from 'vitest'
import { TaskResult, type TaskResultByKind } from '#schema/contract/video/tasks.ts'
import { runDownload } from '../../../transcoder-daemon/tasks/download.ts'
import { runInspect } from '../../../transcoder-daemon/tasks/inspect.ts'
import { runRemux } from '../../../transcoder-daemon/tasks/remux.ts'
import { programs, temporaryFolder } from '../ffmpeg/programs.ts'
import { ffmpeg, makeVideo } from './make-video.ts'
import { MemoryOutputs, taskContext } from './task-context.ts'

const folder = await temporaryFolder()
afterAll(() => folder[Symbol.asyncDispose]())

class FileOutputs extends MemoryOutputs {
	file = Buffer.alloc(0)
	override async putInParts(path: string): Promise<never> {
		this.file = await readFile(path)
		return { bytes: this.file.length, parts: [{ partNumber: 1, etag: '1' }] } as never
	}
}

/** Makes video and audio segments; returns them by URL. */
async function segmentsOf(source: string): Promise<Map<string, Buffer>> {
	const outputs = new MemoryOutputs()
	const context = taskContext(source, folder.path, { outputs })
	const { info } = await runInspect({ kind: 'inspect', maxDurationSec: 60 }, context)
	const { video } = info
	if (!video) throw new Error('no video')
	const cuts = video.keyframes ?? []
	await runRemux({ kind: 'remux', video, rung: 'r', fps: video.frameRate, cuts }, context)
	const sound = `${source}.sound.mp4`
	await ffmpeg(
		...['-i', source, '-map', '0:a', '-c', 'copy', '-output_ts_offset', '1', '-use_editlist', '0'],
		...['-avoid_negative_ts', 'disabled'],
		...['-movflags', '+frag_every_frame+empty_moov+default_base_moof+frag_discont', sound],
	)
	const byUrl = [...outputs.stored].map(([name, bytes]) => [`https://media.test/${name}`, bytes] as const)
	return new Map([...byUrl, ['https://media.test/a0/all.mp4', await readFile(sound)]])
}

const closed = ['-c:v', 'libx264', '-x264-params', 'keyint=25:min-keyint=10:scenecut=0:open-gop=0:bframes=3']

async function make(
	objects: Map<string, Buffer>,
	choose = (urls: string[]) => urls,
): Promise<{ result: TaskResultByKind<'download'>; file: string; bytes: Buffer; maxConcurrent: number }> {
	const outputs = new FileOutputs()
	let concurrent = 0
	let maxConcurrent = 0
	const fetchObject = async (url: string) => {
		maxConcurrent = Math.max(maxConcurrent, ++concurrent)
		await new Promise(setImmediate)
		concurrent--
		const bytes = objects.get(url)
		if (!bytes) throw new Error(`no object ${url}`)
		return bytes
	}
	const urls = [...objects.keys()]
	const video = choose(urls.filter((url) => url.includes('/r/')))
	const audio = urls.filter((url) => url.includes('/a0/'))
	const spec = {
		kind: 'download' as const,
		rung: 'h264-180p',
		fps: { num: 30_000, den: 1_001 },
		video,
		audio,
	}
	const result = await runDownload(spec, {
		...taskContext('', folder.path, { outputs, fetchObject }),
		sourcePath: null,
	})
	const file = join(folder.path, 'downloaded.mp4')
	await writeFile(file, outputs.file)
	return { result, file, bytes: outputs.file, maxConcurrent }
}

async function streamsOf(
	path: string,
): Promise<{ start_time: string; nb_frames: string; codec_name: string }[]> {
	const entries = 'stream=start_time,nb_frames,codec_name'
	const { stdout } = await execa(programs.ffprobe, [
		'-loglevel',
		'error',
		'-show_entries',
		entries,
		'-of',
		'json',
		path,
	])
	return JSON.parse(stdout).streams
}

async function hashes(path: string, stream: string): Promise<string> {
	const { stdout } = await execa(programs.ffmpeg, [
		...['-loglevel', 'error', '-i', path, '-map', `0:${stream}`, '-vsync', '0', '-f', 'framemd5', '-'],
	])
	return stdout
		.split('\n')
		.flatMap((line) => (line.startsWith('#') ? [] : (line.split(',').at(-1) ?? '')))
		.join()
}

test('the download task joins segments into one MP4 with all frames from 0 and its index first', async () => {
	const source = await makeVideo(folder.path, {
		name: 'source.mp4',
		rate: '30000/1001',
		seconds: 5,
		args: closed,
	})
	const { result, file, bytes, maxConcurrent } = await make(await segmentsOf(source))
	expect(TaskResult.parse(result)).toEqual(result)
	expect(result.file).toEqual({ name: 'h264-180p.mp4', bytes: bytes.length })
	const [video, audio] = await streamsOf(file)
	expect(video).toMatchObject({ codec_name: 'h264', nb_frames: '150', start_time: '0.000000' })
	expect(audio).toMatchObject({ codec_name: 'aac' })
	expect(Math.abs(Number(audio?.start_time))).toBeLessThan(0.025)
	expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'))
	expect(bytes.indexOf('moof')).toBe(-1)
	expect(await hashes(file, 'v')).toBe(await hashes(source, 'v'))
	// The limit holds for any number of segments.
	expect(maxConcurrent).toBeLessThanOrEqual(4)
})

test('the download task stores no file when an object is missing or a segment is broken', async () => {
	const source = await makeVideo(folder.path, {
		name: 'incomplete.mp4',
		rate: '30000/1001',
		seconds: 5,
		args: closed,
	})
	const objects = await segmentsOf(source)
	await expect(make(objects, (urls) => [...urls, 'https://media.test/gone'])).rejects.toThrow('gone')
	const last = [...objects.keys()].findLast((url) => url.includes('/r/')) ?? ''
	objects.set(last, (objects.get(last) ?? Buffer.alloc(0)).subarray(0, 1_000))
	await expect(make(objects)).rejects.toThrow()
})
