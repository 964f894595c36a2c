import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Rung } from '../../../schema/contract/video/tasks.ts'
import { runAll, runOnCores, type Timed } from './ffmpeg.ts'

const SEGMENT_SEC = 4

/**
 * Encodes as other open platforms do: one ffmpeg per rung, one after the other, each with its own decode and audio.
 * One more pass makes an MP4 of each, a poster and a sheet of thumbnails.
 */
export function encodePerRung(source: string, folder: string, rungs: readonly Rung[]): Promise<Timed> {
	return runAll([
		...rungs.map((rung) => [
			...['-i', source, '-map', '0:v:0', '-map', '0:a:0', '-vf', scale(rung), ...encoder(rung), ...sound],
			...hls(join(folder, `${rung.id}.m3u8`), 'mpegts'),
		]),
		...rungs.map(({ id }) => [
			...[
				'-i',
				join(folder, `${id}.m3u8`),
				'-c',
				'copy',
				'-bsf:a',
				'aac_adtstoasc',
				'-movflags',
				'+faststart',
			],
			join(folder, `${id}.mp4`),
		]),
		['-ss', '5', '-i', source, '-frames:v', '1', join(folder, 'poster.jpg')],
		[
			'-i',
			source,
			'-an',
			'-vf',
			'fps=1/5,scale=160:-2,tile=5x20',
			'-frames:v',
			'1',
			join(folder, 'sheet.jpg'),
		],
	])
}

/** The minimum with a single decode: no thumbnails and no downloads. With `copiesTopRung` the top rung is copied. */
export const encodeAtOnce = (
	source: string,
	folder: string,
	rungs: readonly Rung[],
	copiesTopRung: boolean,
): Promise<Timed> => runAll([atOnceArgs(source, folder, rungs, copiesTopRung)])

/**
 * The same on one core, or split evenly over several cores. No split is better, so this is the value of a second core
 * on this machine.
 */
export async function encodeOnCores(
	source: string,
	folder: string,
	rungs: readonly Rung[],
	{ cores, seconds }: { cores: number; seconds: number },
): Promise<Timed> {
	const length = seconds / cores
	const parts = Array.from({ length: cores }, (_, k) => ({
		outputFolder: join(folder, `part-${k}`),
		window: ['-ss', `${k * length}`, '-t', `${length}`],
	}))
	for (const { outputFolder } of parts) await mkdir(outputFolder, { recursive: true })
	return runOnCores(
		parts.map(({ outputFolder, window }) => [
			'-threads',
			'1',
			...window,
			...atOnceArgs(source, outputFolder, rungs, false),
		]),
	)
}

function atOnceArgs(
	source: string,
	folder: string,
	rungs: readonly Rung[],
	copiesTopRung: boolean,
): string[] {
	const encoded = copiesTopRung ? rungs.slice(1) : rungs
	const labels = encoded.map((_, index) => `[s${index}]`)
	const scaled = encoded.map((rung, index) => `[s${index}]${scale(rung)}[v${index}]`)
	const graph = [`[0:v]split=${encoded.length}${labels.join('')}`, ...scaled].join(';')
	const top = rungs[0]
	return [
		...['-i', source, '-filter_complex', graph],
		...(copiesTopRung && top
			? ['-map', '0:v:0', '-c:v', 'copy', ...hls(join(folder, `bare-${top.id}.m3u8`), 'fmp4')]
			: []),
		...encoded.flatMap((rung, index) => [
			...['-map', `[v${index}]`, ...encoder(rung)],
			...hls(join(folder, `bare-${rung.id}.m3u8`), 'fmp4'),
		]),
		...['-map', '0:a:0', ...sound, ...hls(join(folder, 'bare-audio.m3u8'), 'fmp4')],
	]
}

const scale = ({ width, height }: Rung) => `scale=${width}:${height},setsar=1`
const sound = ['-c:a', 'aac', '-b:a', '128k', '-ac', '2']

/** Same settings as the product. */
const encoder = ({ crf, maxKbps, preset }: Rung) => [
	...['-c:v', 'libx264', '-preset', preset, '-crf', `${crf}`, '-maxrate', `${maxKbps}k`],
	...['-bufsize', `${2 * maxKbps}k`, '-pix_fmt', 'yuv420p', '-g', '120', '-keyint_min', '120'],
	...['-sc_threshold', '0'],
]

function hls(path: string, type: 'mpegts' | 'fmp4'): string[] {
	const stem = path.replace(/\.m3u8$/, '')
	return [
		...['-f', 'hls', '-hls_time', `${SEGMENT_SEC}`, '-hls_playlist_type', 'vod', '-hls_segment_type', type],
		...(type === 'fmp4' ? ['-hls_fmp4_init_filename', `${stem.split('/').at(-1)}-init.mp4`] : []),
		...['-hls_segment_filename', `${stem}-%d.${type === 'fmp4' ? 'm4s' : 'ts'}`, path],
	]
}
