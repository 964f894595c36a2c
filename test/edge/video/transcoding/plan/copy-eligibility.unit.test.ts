import { expect, test } from 'vitest'
import type { VideoInfo } from '#schema/contract/video/media-info.ts'
import { listNonStandardReasons } from '../../../../../edge/video/transcoding/plan/copy-eligibility.ts'
import { planFrameGrid } from '../../../../../edge/video/transcoding/plan/frame-grid.ts'
import { computeDisplaySize } from '../../../../../edge/video/transcoding/plan/frame-size.ts'
import { planLadder } from '../../../../../edge/video/transcoding/plan/ladder.ts'
import { describeSource } from '../../../../support/shared/described-source.ts'

function reasonsOf(overrides: Partial<VideoInfo>): string[] {
	const info = describeSource(60, overrides)
	if (!info.video) throw new Error('no video')
	const grid = planFrameGrid(info.video)
	const [top] = planLadder(computeDisplaySize(info.video), grid.fps)
	if (!top) throw new Error('no ladder')
	return listNonStandardReasons(info, info.video, grid, top)
}

test.each<[string, Partial<VideoInfo>]>([
	['1080p at 30 frames per second', {}],
	['at the cap of its size', { bitrateKbps: 6_800 }],
	['Constrained Baseline', { profile: 'Constrained Baseline', level: 30 }],
	['a keyframe every six seconds', { longestGopSec: 6 }],
	['portrait', { displayWidth: 1080, displayHeight: 1920 }],
	['59.94 frames per second', { frameRate: { num: 60_000, den: 1_001 } }],
	['between two rungs', { displayWidth: 768, displayHeight: 432, bitrateKbps: 900 }],
	['full range', { pixelFormat: 'yuvj420p' }],
	['a start less than half a frame late', { startSec: 0.01 }],
])('a source is copied: %s', (_, overrides) => {
	expect(reasonsOf(overrides)).toEqual([])
})

test.each<[string, Partial<VideoInfo>, string[]]>([
	['HEVC', { codec: 'hevc', profile: 'Main' }, ['video_codec']],
	['an unknown profile', { profile: null }, ['video_profile']],
	['Extended profile', { profile: 'Extended' }, ['video_profile']],
	['level 6.0', { level: 60 }, ['video_profile']],
	['10 bit', { profile: 'High 10', bitDepth: 10 }, ['video_profile', 'pixel_format']],
	['4:2:2', { profile: 'High 4:2:2', chroma: '4:2:2' }, ['video_profile', 'pixel_format']],
	['interlaced', { isInterlaced: true }, ['interlaced']],
	['HDR', { isHdr: true }, ['hdr']],
	['rotated', { rotation: 90, displayWidth: 1080, displayHeight: 1920 }, ['rotation']],
	['anamorphic', { sampleAspect: { num: 4, den: 3 } }, ['pixel_aspect_ratio']],
	['larger than all rungs', { displayWidth: 4096, displayHeight: 2304 }, ['resolution']],
	['an odd width', { displayWidth: 1919 }, ['resolution']],
	['a variable frame rate', { isConstantRate: false }, ['variable_frame_rate']],
	['120 frames per second', { frameRate: { num: 120, den: 1 } }, ['frame_rate']],
	['open GOPs', { isClosedGop: false }, ['gop_open']],
	['long GOPs', { longestGopSec: 6.1 }, ['gop_size']],
	['unknown GOP closure', { isClosedGop: null }, ['keyframes_unknown']],
	['an unknown GOP length', { longestGopSec: null }, ['keyframes_unknown']],
	['no list of keyframes', { keyframes: null }, ['keyframes_unknown']],
	['no keyframe at the start', { keyframes: [30, 90] }, ['keyframes_unknown']],
	['a late video start', { startSec: 0.2 }, ['start_time']],
	['a bit rate above the cap of the rung', { bitrateKbps: 6_801 }, ['bitrate']],
])('a source is not copied: %s', (_, overrides, reasons) => {
	expect(reasonsOf(overrides)).toEqual(reasons)
})

test('the bit rate of the file is used if the bit rate of the stream is unknown', () => {
	const info = describeSource(60, { bitrateKbps: 0 })
	const video = info.video
	if (!video) throw new Error('no video')
	const grid = planFrameGrid(video)
	const size = computeDisplaySize(video)
	expect(listNonStandardReasons({ ...info, sizeBytes: 50_000_000 }, video, grid, size)).toEqual([])
	expect(listNonStandardReasons({ ...info, sizeBytes: 60_000_000 }, video, grid, size)).toEqual(['bitrate'])
})
