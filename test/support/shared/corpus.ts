import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CorpusItem, item, type Recipe, rate, X264 } from './corpus-item.ts'
import { foreignCorpus } from './foreign-corpus.ts'
import { callFfmpeg } from './media-cache.ts'

const landscape = { width: 640, height: 360 }
const portrait = { width: 360, height: 640 }
const at = (num: number, den = 1): Recipe => ({ picture: { fps: rate(num, den) } })
const x264 = (...more: string[]) => [...X264, ...more]

export const corpus: readonly CorpusItem[] = [
	item('film-23976', at(24_000, 1_001)),
	item('pal-25'),
	item('ntsc-2997', at(30_000, 1_001)),
	item('fast-50', at(50)),
	item('fast-5994', at(60_000, 1_001)),
	item('slow-12-5', at(25, 2)),
	item('vfr', {
		// Of 30 frames a second, first all are kept, then every third, then all except every fifth.
		picture: {
			fps: rate(30),
			seconds: 6,
			filters: ["select='if(lt(t\\,2)\\,1\\,if(lt(t\\,4)\\,not(mod(n\\,3))\\,mod(n\\,5)))'"],
			encode: x264('-vsync', 'vfr'),
			info: { isConstantRate: false, frameCount: null },
		},
		isNumbered: false,
	}),
	item('open-gop', {
		picture: {
			seconds: 6,
			encode: x264('-g', '40', '-bf', '5', '-x264-params', 'open-gop=1:b-pyramid=2:scenecut=0'),
			info: { isClosedGop: false },
		},
	}),
	item('long-gop', {
		picture: { seconds: 8, encode: x264('-g', '9999', '-sc_threshold', '0'), info: { longestGopSec: 8 } },
	}),
	item('portrait', { picture: { size: portrait } }),
	...([90, 180, 270] as const).map((rotation) => rotated(rotation)),
	item('odd-size', {
		container: 'webm',
		picture: {
			size: { width: 641, height: 361 },
			encode: [
				'-c:v',
				'libvpx',
				'-deadline',
				'realtime',
				'-cpu-used',
				'8',
				'-b:v',
				'4M',
				'-crf',
				'10',
				'-pix_fmt',
				'yuv420p',
			],
			info: { codec: 'vp8' },
		},
		sounds: [{ encode: ['-c:a', 'libopus'], codec: 'opus' }],
	}),
	item('anamorphic', {
		picture: {
			size: { width: 480, height: 360 },
			filters: ['setsar=4/3'],
			info: { sampleAspect: rate(4, 3), displayWidth: 640, displayHeight: 360 },
		},
	}),
	item('interlaced', {
		container: 'ts',
		picture: {
			sourceFps: rate(50),
			before: ['tinterlace=mode=interleave_top'],
			encode: [
				'-c:v',
				'mpeg2video',
				'-flags',
				'+ildct+ilme',
				'-b:v',
				'8M',
				'-g',
				'15',
				'-bf',
				'2',
				'-top',
				'1',
				'-pix_fmt',
				'yuv420p',
			],
			info: { codec: 'mpeg2video', isInterlaced: true },
		},
		reference: 'bwdif=mode=send_frame:deint=all',
	}),
	item('ten-bit', {
		picture: {
			encode: ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '16', '-pix_fmt', 'yuv420p10le', '-g', '50'],
			info: { pixelFormat: 'yuv420p10le', bitDepth: 10 },
		},
	}),
	item('hdr', {
		picture: {
			seconds: 3,
			encode: [
				...[
					'-c:v',
					'libx265',
					'-preset',
					'ultrafast',
					'-crf',
					'14',
					'-pix_fmt',
					'yuv420p10le',
					'-tag:v',
					'hvc1',
				],
				...['-color_primaries', 'bt2020', '-color_trc', 'smpte2084', '-colorspace', 'bt2020nc'],
				...[
					'-x265-params',
					'colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:log-level=none:keyint=50',
				],
			],
			info: {
				codec: 'hevc',
				pixelFormat: 'yuv420p10le',
				bitDepth: 10,
				isHdr: true,
				color: { range: 'tv', space: 'bt2020nc', transfer: 'smpte2084', primaries: 'bt2020' },
			},
		},
		reference:
			'zscale=t=linear:npl=100,format=gbrpf32le,zscale=p=bt709,tonemap=tonemap=hable:desat=0:peak=10,zscale=t=bt709:m=bt709:r=tv,format=yuv420p',
	}),
	item('chroma-422', {
		picture: {
			encode: ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '16', '-pix_fmt', 'yuv422p', '-g', '50'],
			info: { pixelFormat: 'yuv422p', chroma: '4:2:2' },
		},
	}),
	item('silent', { sounds: [] }),
	item('audio-only', { container: 'm4a', picture: null }),
	item('mono', { sounds: [{ channels: 1 }] }),
	item('surround', { sounds: [{ channels: 6, layout: '5.1' }] }),
	item('many-tracks', {
		sounds: [{ language: 'eng' }, { language: 'deu', channels: 1 }, { language: 'fra', sampleRate: 44_100 }],
	}),
	item('edit-list', {
		picture: { seconds: 6, info: { durationSec: 4.7, frameCount: null } },
		// Starts within a group of pictures; an edit list skips the frames before.
		finish: (ffmpeg, path) => rewrite(ffmpeg, path, ['-ss', '1.3'], ['-c', 'copy']),
		isNumbered: false,
	}),
	item('start-not-zero', { container: 'ts', output: ['-output_ts_offset', '37.5'] }),
	item('late-sound', { sounds: [{ startSec: 0.7 }] }),
	item('matroska', { container: 'mkv', sounds: [{ encode: ['-c:a', 'flac'], codec: 'flac' }] }),
	item('webm-vp9', {
		container: 'webm',
		picture: {
			encode: [
				'-c:v',
				'libvpx-vp9',
				'-deadline',
				'realtime',
				'-cpu-used',
				'8',
				'-b:v',
				'4M',
				'-g',
				'50',
				'-pix_fmt',
				'yuv420p',
			],
			info: { codec: 'vp9' },
		},
		sounds: [{ encode: ['-c:a', 'libopus'], codec: 'opus' }],
	}),
	item('quicktime', { container: 'mov', sounds: [{ encode: ['-c:a', 'pcm_s16le'], codec: 'pcm_s16le' }] }),
	item('transport-stream', { container: 'ts', picture: { seconds: 8, encode: x264('-g', '100') } }),
	item('avi', {
		container: 'avi',
		picture: {
			encode: ['-c:v', 'mpeg4', '-q:v', '3', '-g', '50', '-bf', '0', '-pix_fmt', 'yuv420p'],
			info: { codec: 'mpeg4' },
		},
		sounds: [{ encode: ['-c:a', 'pcm_s16le'], codec: 'pcm_s16le' }],
	}),
	item('one-second', { picture: { seconds: 1 } }),
	item('full-range', {
		picture: {
			filters: ['scale=out_range=pc', 'format=yuvj420p'],
			encode: x264('-pix_fmt', 'yuvj420p'),
			info: { pixelFormat: 'yuvj420p', color: { range: 'pc', space: null, transfer: null, primaries: null } },
		},
		reference: 'scale=out_range=tv,format=yuv420p',
	}),
	...foreignCorpus,
]

/** Only used by long runs. */
export const longCorpus: readonly CorpusItem[] = [
	item('ten-minutes', { picture: { fps: rate(30_000, 1_001), seconds: 600 } }),
]

function rotated(rotation: 90 | 180 | 270): CorpusItem {
	const back = { 90: ['transpose=cclock'], 180: ['hflip', 'vflip'], 270: ['transpose=clock'] }[rotation]
	const upright = rotation === 180 ? landscape : portrait
	return item(`rotation-${rotation}`, {
		picture: {
			size: upright,
			filters: back,
			info: { rotation, codedWidth: landscape.width, codedHeight: landscape.height },
		},
		finish: async (_, path) => writeFile(path, rotateTrack(await readFile(path), rotation)),
	})
}

/** Writes the matrix of the first track directly, as ffmpeg's option for it differs between versions. */
function rotateTrack(mp4: Buffer, rotation: 90 | 180 | 270): Buffer {
	const tkhd = mp4.indexOf('tkhd', 0, 'latin1')
	const matrix = tkhd + 4 + (mp4.readUInt8(tkhd + 4) === 1 ? 52 : 40)
	const ONE = 0x10000
	const [a, b, c, d] = { 90: [0, ONE, -ONE, 0], 180: [-ONE, 0, 0, -ONE], 270: [0, -ONE, ONE, 0] }[
		rotation
	] as [number, number, number, number]
	for (const [index, value] of [a, b, 0, c, d, 0].entries()) mp4.writeInt32BE(value, matrix + 4 * index)
	return mp4
}

async function rewrite(
	ffmpeg: string,
	path: string,
	before: readonly string[],
	after: readonly string[],
): Promise<void> {
	const whole = join(path, '..', `whole-${Date.now()}-${Math.random().toString(36).slice(2)}.mp4`)
	await writeFile(whole, await readFile(path))
	await callFfmpeg(ffmpeg, [...before, '-i', whole, ...after, path])
	await rm(whole)
}
