import { expect, test } from 'vitest'
import type { VideoInfo } from '#schema/contract/video/media-info.ts'
import { buildEncoderArgs } from '../../../transcoder-daemon/ffmpeg/encoder-args.ts'
import {
	buildFilterGraph,
	buildVideoArgs,
	canStayOnHardware,
	chooseVideoTimescale,
	countExpectedFrames,
	type VideoRun,
} from '../../../transcoder-daemon/ffmpeg/video-args.ts'
import { planAttempts } from '../../../transcoder-daemon/tasks/video-attempts.ts'
import { corpus } from '../../support/shared/corpus.ts'
import { rung, videoSpec } from '../corpus/encoded.ts'

const info = (name: string, more: Partial<VideoInfo> = {}): VideoInfo => {
	const video = corpus.find((item) => item.name === name)?.video
	if (!video) throw new Error(`the corpus has no video ${name}`)
	return { ...video, ...more }
}

const runOf = (
	video: VideoInfo,
	more: Partial<VideoRun> = {},
	spec: Parameters<typeof videoSpec>[1] = {},
): VideoRun => {
	const whole = videoSpec(video, { rungs: [rung(640, 360)], ...spec })
	return {
		spec: whole,
		sourcePath: '/source',
		prerollSec: 0,
		decoder: null,
		devices: {},
		rungs: whole.rungs,
		threads: 4,
		expectedFrames: countExpectedFrames(whole),
		...more,
	}
}

const optionOf = (args: readonly string[], name: string) => args[args.indexOf(name) + 1]

test.each([
	[24_000, 1_001, 24_000],
	[25, 1, 12_000],
	[30_000, 1_001, 30_000],
	[60, 1, 12_000],
	[25, 2, 12_000],
])('a frame of %i/%i fps is a whole number of ticks at timescale %i', (num, den, timescale) => {
	expect(chooseVideoTimescale({ num, den })).toBe(timescale)
	expect(((timescale * den) / num) % 1).toBe(0)
})

test('the ffmpeg arguments start a chunk at its frame, with seek, grid and output time', () => {
	const spec = { firstFrame: 240, frames: 240, cuts: [240, 360] }
	const args = buildVideoArgs(runOf(info('ntsc-2997'), {}, spec))
	expect(optionOf(args, '-ss')).toBe('8.008000')
	expect(args).toContain('-noaccurate_seek')
	expect(optionOf(args, '-filter_complex')).toContain(
		'fps=fps=30000/1001:start_time=0.000000,setpts=N,trim=end_frame=240',
	)
	expect(optionOf(args, '-output_ts_offset')).toBe('9.008000')
	expect(optionOf(args, '-force_key_frames')).toBe('0.000000,4.004000')
	expect(optionOf(args, '-g')).toBe('120')
})

test('the ffmpeg arguments seek earlier and drop frames where a seek misses keyframes', () => {
	const spec = { firstFrame: 250, frames: 100, cuts: [250] }
	const args = buildVideoArgs(runOf(info('pal-25'), { prerollSec: 3 }, spec))
	expect(optionOf(args, '-ss')).toBe('7.000000')
	expect(optionOf(args, '-filter_complex')).toContain('start_time=3.000000')
	expect(buildVideoArgs(runOf(info('pal-25'), { prerollSec: 12 }, spec))).not.toContain('-ss')
})

test.each([
	[0, 'start_time=0.000000'],
	// Slightly late because of the audio's start: the first frame is still frame 0.
	[0.0213, 'start_time=0.021300'],
	// Late enough that two frames are missing: the first frame is frame 2.
	[0.0913, 'start_time=0.011300'],
	[0.08, 'start_time=0.000000'],
])('the ffmpeg arguments place video that begins at %d s on the grid', (startSec, expected) => {
	expect(buildFilterGraph(runOf(info('pal-25', { startSec })))).toContain(expected)
})

test.each([
	[
		'pal-25',
		'[0:0]fps=fps=25/1:start_time=0.000000,setpts=N,setparams=range=tv:color_primaries=smpte170m:color_trc=smpte170m:colorspace=smpte170m,split=1[b0];[b0]scale=640:360,setsar=1,format=yuv420p[v0]',
	],
	['interlaced', 'bwdif=mode=send_frame:parity=auto:deint=all,fps='],
	['ten-bit', 'setpts=N,format=yuv420p,setparams='],
	['chroma-422', 'setpts=N,format=yuv420p,setparams='],
	['full-range', 'setpts=N,scale=out_range=tv,format=yuv420p,setparams='],
	[
		'hdr',
		'tonemap=tonemap=hable:desat=0:peak=10,zscale=t=bt709:m=bt709:r=tv,format=yuv420p,setparams=range=tv:color_primaries=bt709',
	],
])('the ffmpeg filters of %s are built', (name, expected) => {
	expect(buildFilterGraph(runOf(info(name)))).toContain(expected)
})

test('untagged video from 720 lines on counts as HD, and tags are kept', () => {
	const hd = info('pal-25', { codedWidth: 1_280, codedHeight: 720 })
	expect(buildFilterGraph(runOf(hd))).toContain('colorspace=bt709')
	const tagged = info('pal-25', {
		color: { range: 'tv', space: 'bt470bg', transfer: 'linear', primaries: 'bt470bg' },
	})
	expect(buildFilterGraph(runOf(tagged))).toContain(
		'color_primaries=bt470bg:color_trc=smpte170m:colorspace=bt470bg',
	)
})

test('each rung is scaled from the one above it, in the format of its encoder', () => {
	const rungs = [rung(1_280, 720), rung(640, 360, { encoder: 'h264_qsv' }), rung(426, 240)]
	const graph = buildFilterGraph(runOf(info('pal-25'), { rungs }))
	expect(graph.split(';').slice(1)).toEqual([
		'[b0]scale=1280:720,setsar=1,split[s0][n0]',
		'[s0]format=yuv420p[v0]',
		'[n0]scale=640:360,setsar=1,split[s1][n1]',
		'[s1]format=nv12[v1]',
		'[n1]scale=426:240,setsar=1,format=yuv420p[v2]',
	])
})

test('rungs are scaled on the card with CUDA', () => {
	const rungs = [rung(640, 360, { encoder: 'h264_nvenc' })]
	const run = runOf(info('pal-25'), { decoder: 'cuda', rungs })
	expect(buildVideoArgs(run).slice(0, 4)).toEqual(['-hwaccel', 'cuda', '-hwaccel_output_format', 'cuda'])
	expect(buildFilterGraph(run)).toContain('[b0]scale_cuda=w=640:h=360:format=nv12,setsar=1[v0]')
})

test('the working device is passed to VA-API for encoding and decoding', () => {
	const rungs = [rung(640, 360, { encoder: 'h264_vaapi' })]
	const encode = runOf(info('pal-25'), { rungs, devices: { h264_vaapi: '/dev/dri/renderD129' } })
	expect(optionOf(buildVideoArgs(encode), '-init_hw_device')).toBe('vaapi=gpu:/dev/dri/renderD129')
	expect(buildFilterGraph(encode)).toContain('format=nv12,hwupload[v0]')
	const both = { ...encode, decoder: 'vaapi' as const }
	expect(optionOf(buildVideoArgs(both), '-hwaccel_device')).toBe('gpu')
	expect(buildFilterGraph(both)).toContain('scale_vaapi=w=640:h=360:format=nv12,setsar=1[v0]')
})

test.each([
	['pal-25', true],
	['webm-vp9', true],
	['interlaced', false],
	['rotation-90', false],
	['ten-bit', false],
	['hdr', false],
	['full-range', false],
	['avi', false],
])('the video arguments decide whether %s may be decoded on hardware: %s', (name, expected) => {
	expect(canStayOnHardware(videoSpec(info(name)))).toBe(expected)
})

test.each([
	['h264', 'libx264', ['-crf 20', '-maxrate 6000k', '-bufsize 12000k', '-sc_threshold 0', '-profile:v high']],
	['hevc', 'libx265', ['-tag:v hvc1', 'open-gop=0', 'scenecut=0', '-crf 20', '-maxrate 6000k']],
	['av1', 'libsvtav1', ['-crf 20', 'mbr=6000', 'scd=0']],
	['h264', 'h264_nvenc', ['-cq 20', '-maxrate 6000k', '-no-scenecut 1', '-forced-idr 1']],
	['hevc', 'hevc_nvenc', ['-tag:v hvc1', '-cq 20', '-maxrate 6000k', '-forced-idr 1', '-strict_gop 1']],
	['av1', 'av1_nvenc', ['-cq 20', '-b:v 0', '-maxrate 6000k', '-forced-idr 1', '-no-scenecut 1']],
	['hevc', 'hevc_qsv', ['-tag:v hvc1', '-global_quality 20', '-maxrate 6000k', '-forced_idr 1']],
	['av1', 'av1_qsv', ['-global_quality 20', '-maxrate 6000k', '-forced_idr 1']],
	['hevc', 'hevc_vaapi', ['-tag:v hvc1', '-rc_mode VBR', '-b:v 4200k', '-maxrate 6000k']],
	['av1', 'av1_vaapi', ['-rc_mode VBR', '-b:v 4200k', '-maxrate 6000k']],
	['hevc', 'hevc_videotoolbox', ['-tag:v hvc1', '-allow_sw 0', '-b:v 4200k', '-maxrate 6000k']],
	['h264', 'h264_qsv', ['-global_quality 20', '-maxrate 6000k', '-forced_idr 1']],
	['h264', 'h264_vaapi', ['-rc_mode VBR', '-b:v 4200k', '-maxrate 6000k']],
	['h264', 'h264_videotoolbox', ['-allow_sw 0', '-b:v 4200k', '-maxrate 6000k']],
] as const)('the ffmpeg arguments pass quality and cap to the %s encoder %s', (codec, encoder, expected) => {
	const args = buildEncoderArgs(rung(640, 360, { codec, encoder }), 2).join(' ')
	for (const part of expected) expect(args).toContain(part)
	// Profile names differ between codecs; HEVC and AV1 encoders derive the profile from the frames.
	expect(args.includes('-profile:v')).toBe(codec === 'h264')
})

test.each([
	['hevc', 'hevc_nvenc', 'libx265'],
	['av1', 'av1_qsv', 'libsvtav1'],
] as const)('the software encoder of %s is used when %s is missing or fails', (codec, encoder, software) => {
	const spec = videoSpec(info('pal-25'), { rungs: [rung(640, 360, { codec, encoder })] })
	const encodersTried = (encoders: string[]) =>
		planAttempts(spec, { encoders, decoders: [], devices: {} }).attempts.map(({ rungs }) => rungs[0]?.encoder)
	expect(encodersTried(['libx264', encoder, software])).toEqual([encoder, software])
	expect(encodersTried(['libx264', encoder])).toEqual([encoder])
	expect(encodersTried(['libx264', software])).toEqual([software])
	expect(() => encodersTried(['libx264'])).toThrow(`no encoder for ${codec}`)
})

test('an unknown encoder throws', () => {
	expect(() => buildEncoderArgs(rung(640, 360, { encoder: 'magic' }), 2)).toThrow('magic')
})

test.each([
	[['libx264'], [], 'libx264', [[null, 'libx264']]],
	[['libx264'], ['cuda'], 'libx264', [[null, 'libx264']]],
	[
		['libx264', 'h264_nvenc'],
		['cuda'],
		'h264_nvenc',
		[
			['cuda', 'h264_nvenc'],
			[null, 'h264_nvenc'],
			[null, 'libx264'],
		],
	],
	[['h264_videotoolbox'], [], 'h264_videotoolbox', [[null, 'h264_videotoolbox']]],
	[['libx264'], ['vaapi', 'qsv'], 'h264_vaapi', [[null, 'libx264']]],
	[
		['libx264', 'h264_vaapi', 'h264_qsv'],
		['vaapi', 'qsv'],
		'h264_qsv',
		[
			['qsv', 'h264_qsv'],
			[null, 'h264_qsv'],
			[null, 'libx264'],
		],
	],
] as const)(
	'a rung with encoders %j and decoders %j of the machine, planned with %s, is tried in the order %j',
	(encoders, decoders, encoder, expected) => {
		const spec = videoSpec(info('pal-25'), { rungs: [rung(640, 360, { encoder })] })
		const { attempts } = planAttempts(spec, { encoders, decoders, devices: {} })
		expect(attempts.map(({ decoder, rungs }) => [decoder, rungs[0]?.encoder])).toEqual(expected)
	},
)
