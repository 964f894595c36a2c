import { expect, test } from 'vitest'
import { parseQuality, qualities } from '#schema/contract/video/quality.ts'
import {
	computeBitrateCapKbps,
	planLadder,
	planRung,
} from '../../../../../edge/video/transcoding/plan/ladder.ts'
import { computeNeededLevel } from '../../../../../scripts/operate/hls-validator/h264.ts'

const at30 = { num: 30, den: 1 }
const at60 = { num: 60, den: 1 }

const show = (width: number, height: number, fps = at30) =>
	planLadder({ width, height }, fps).map((step) => `${step.quality} ${step.width}x${step.height}`)

test.each<[string, number, number, string[]]>([
	[
		'2160p',
		3840,
		2160,
		[
			'2160p 3840x2160',
			'1440p 2560x1440',
			'1080p 1920x1080',
			'720p 1280x720',
			'480p 854x480',
			'360p 640x360',
			'240p 426x240',
		],
	],
	['1080p', 1920, 1080, ['1080p 1920x1080', '720p 1280x720', '480p 854x480', '360p 640x360', '240p 426x240']],
	[
		'portrait',
		1080,
		1920,
		['1080p 1080x1920', '720p 720x1280', '480p 480x854', '360p 360x640', '240p 240x426'],
	],
	[
		'a tall phone screen',
		1080,
		2400,
		['1080p 1080x2400', '720p 720x1600', '480p 480x1066', '360p 360x800', '240p 240x534'],
	],
	['square', 720, 720, ['720p 720x720', '480p 480x480', '360p 360x360', '240p 240x240']],
	['4:3 television', 640, 480, ['480p 640x480', '360p 480x360', '240p 320x240']],
	[
		'between two steps',
		1600,
		900,
		['900p 1600x900', '720p 1280x720', '480p 854x480', '360p 640x360', '240p 426x240'],
	],
	[
		'wide cinema',
		1920,
		800,
		['800p 1920x800', '720p 1728x720', '480p 1152x480', '360p 864x360', '240p 576x240'],
	],
	[
		'slightly above a step',
		1920,
		1088,
		['1080p 1920x1088', '720p 1270x720', '480p 848x480', '360p 636x360', '240p 424x240'],
	],
	['odd sizes', 853, 481, ['480p 852x480', '360p 638x360', '240p 426x240']],
	['the size of two corpus clips', 768, 432, ['432p 768x432', '360p 640x360', '240p 426x240']],
	['below all steps', 320, 180, ['180p 320x180']],
	['tiny', 3, 1, ['2p 2x2']],
	[
		'above all steps',
		7680,
		4320,
		[
			'2160p 3840x2160',
			'1440p 2560x1440',
			'1080p 1920x1080',
			'720p 1280x720',
			'480p 854x480',
			'360p 640x360',
			'240p 426x240',
		],
	],
])('a ladder is planned for %s: %dx%d', (_, width, height, rungs) => {
	expect(show(width, height)).toEqual(rungs)
})

test('no rung is larger than the source, has odd sides or another aspect ratio', () => {
	for (const { width, height } of manySizes()) {
		const steps = planLadder({ width, height }, at60)
		expect(new Set(steps.map(({ quality }) => quality)).size).toBe(steps.length)
		for (const [k, step] of steps.entries()) {
			expect(step.width % 2 || step.height % 2).toBe(0)
			expect(step.width).toBeLessThanOrEqual(Math.max(2, width))
			expect(step.height).toBeLessThanOrEqual(Math.max(2, height))
			// Rounding to even sizes changes the smaller side by at most one row or column.
			const tolerance = 2.1 / Math.min(step.width, step.height)
			expect(Math.abs((step.width / step.height) * (height / width) - 1)).toBeLessThan(tolerance)
			const above = steps[k - 1]
			if (above) expect(step.width * step.height).toBeLessThan(above.width * above.height)
			expect(
				computeNeededLevel(step.width, step.height, 60, computeBitrateCapKbps(step, at60) * 1_000),
			).toBeLessThanOrEqual(52)
		}
	}
})

/** Yields seeded random sizes, so that a failure can be reproduced. */
function* manySizes(): Iterable<{ width: number; height: number }> {
	let seed = 42
	const random = () => {
		seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
		return seed / 2 ** 31
	}
	for (let i = 0; i < 500; i++) {
		const width = 16 + Math.floor(random() * 8_000)
		yield { width, height: Math.max(16, Math.floor(width * (0.4 + 1.8 * random()))) }
	}
}

test('bit rate caps match the steps at 16:9 and grow with the pixels in between', () => {
	// Without qualities for fast sources alone, whose caps are their own.
	const steps = qualities.filter(({ name }) => parseQuality(name)?.fps === null)
	const at = (width: number, height: number, fps = at30) =>
		computeBitrateCapKbps({ width, height }, fps, 'h264', steps)
	expect([at(426, 240), at(640, 360), at(1280, 720), at(1920, 1080)]).toEqual([500, 1_000, 3_800, 6_800])
	expect([at(640, 360, at60), at(1280, 720, at60), at(1920, 1080, at60)]).toEqual([1_400, 5_300, 11_000])
	expect(at(3840, 2160)).toBe(27_000)
	expect(at(160, 90)).toBe(500)
	expect(at(1600, 900)).toBeGreaterThan(at(1280, 720))
	expect(at(1600, 900)).toBeLessThan(at(1920, 1080))
	expect(at(720, 720)).toBeLessThan(at(1280, 720))
	expect(at(1280, 720, { num: 25, den: 1 })).toBe(3_800)
	expect(at(1280, 720, { num: 50, den: 1 })).toBe(5_300)
})

test('each codec has its own quality, preset and share of the caps', () => {
	const [step] = planLadder({ width: 1920, height: 1080 }, at30)
	if (!step) throw new Error('no step')
	expect(planRung(step, at30, 'h264', 'h264_nvenc')).toEqual({
		id: 'h264-1080p',
		quality: '1080p',
		codec: 'h264',
		encoder: 'h264_nvenc',
		width: 1920,
		height: 1080,
		crf: 23,
		maxKbps: 6_800,
		preset: 'fast',
	})
	expect(planRung(step, at30, 'hevc', 'libx265')).toMatchObject({ id: 'hevc-1080p', crf: 28, maxKbps: 4_760 })
	expect(planRung(step, at30, 'av1', 'libsvtav1')).toMatchObject({ crf: 35, preset: '8', maxKbps: 4_080 })
})
