import { expect, test } from 'vitest'
import { parseSegmentPath } from '../../../../edge/watch/playback/segment-path.ts'

test.each([
	['v1/h264-720p/0.m4s', { quality: { name: '720p', lines: 720, fps: null }, index: 0 }],
	['v1/h264-360p60/7.m4s', { quality: { name: '360p60', lines: 360, fps: 60 }, index: 7 }],
	['v1/480p/12.m4s', { quality: { name: '480p', lines: 480, fps: null }, index: 12 }],
	['job_1/av1-2160p/900.m4s', { quality: { name: '2160p', lines: 2_160, fps: null }, index: 900 }],
	['v1/a0/1.m4s', { quality: null, index: 1 }],
	['v1/h264-0p/1.m4s', { quality: null, index: 1 }],
])('the path %s is recognized as a segment', (path, segment) =>
	expect(parseSegmentPath(path)).toEqual(segment),
)

test('the paths of other files are not recognized as segments', () => {
	for (const path of [
		'v1/h264-720p/init.mp4',
		'v1/master.m3u8',
		'v1/h264-720p.m3u8',
		'1.m4s',
		'v1/720p/x.m4s',
	])
		expect(parseSegmentPath(path)).toBeNull()
})
