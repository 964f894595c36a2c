import { expect, test } from 'vitest'
import { formatAspectRatio } from '../../../../edge/watch/playback/aspect-ratio.ts'

test.each<[width: number, height: number, ratio: string]>([
	[1920, 1080, '16:9'],
	[1080, 1920, '9:16'],
	[640, 480, '4:3'],
	[480, 640, '3:4'],
	[720, 480, '3:2'],
	[1280, 1024, '5:4'],
	[1920, 1200, '8:5'],
	[1080, 1080, '1:1'],
	[2520, 1080, '21:9'],
	[1920, 800, '12:5'],
	[352, 288, '11:9'],
	[2, 2, '1:1'],
])('a video of %dx%d has the exact aspect ratio %s', (width, height, ratio) => {
	expect(formatAspectRatio({ width, height })).toBe(ratio)
})

test.each<[width: number, height: number, ratio: string]>([
	[854, 480, '16:9'],
	[480, 854, '9:16'],
	[1366, 768, '16:9'],
	[1920, 1088, '16:9'],
	[1078, 1080, '1:1'],
	[718, 480, '3:2'],
	[2540, 1080, '21:9'],
])('a video of %dx%d is within 1 %% of the aspect ratio %s', (width, height, ratio) => {
	expect(formatAspectRatio({ width, height })).toBe(ratio)
})

test.each<[width: number, height: number, ratio: string]>([
	[4096, 2160, '256:135'],
	[2560, 1080, '64:27'],
	[1000, 2, '500:1'],
	[570, 1080, '19:36'],
])('a video of %dx%d is near no well-known aspect ratio and stays %s', (width, height, ratio) => {
	expect(formatAspectRatio({ width, height })).toBe(ratio)
})
