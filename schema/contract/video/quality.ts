import { z } from 'zod'

const NAME = /^([1-9]\d{0,4})p([1-9]\d{0,2})?$/

/**
 * The name of a quality for viewers: the shorter side in pixels, also for portrait video, and a frame rate if the quality
 * is only for sources that fast. Such as `720p`, and `360p60`.
 */
export const QualityName = z.string().regex(NAME)

/** The name of a rung and of its folder in storage, such as `h264-720p`. */
export const RungId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/)

/** A quality as it is planned. The bitrate caps are for 16:9 video up to 30 fps, and above. */
export type QualityStep = { readonly name: string; readonly maxKbps: number; readonly fastMaxKbps: number }

/**
 * Every quality of encoded video, from the lowest. Of two with the same lines, the last that a source is fast enough for is
 * planned, so one with a frame rate comes second. The caps are about a third over the averages of other hosts, since they
 * limit the peak. The constant quality decides the rate of simple scenes.
 */
export const qualities: readonly QualityStep[] = [
	{ name: '240p', maxKbps: 500, fastMaxKbps: 700 },
	{ name: '360p', maxKbps: 1_000, fastMaxKbps: 1_400 },
	{ name: '480p', maxKbps: 1_800, fastMaxKbps: 2_500 },
	{ name: '720p', maxKbps: 3_800, fastMaxKbps: 5_300 },
	{ name: '1080p', maxKbps: 6_800, fastMaxKbps: 11_000 },
	{ name: '1440p', maxKbps: 13_500, fastMaxKbps: 20_000 },
	{ name: '2160p', maxKbps: 27_000, fastMaxKbps: 40_000 },
]

export type Quality = { name: string; lines: number; fps: number | null }

export const composeQualityName = (lines: number): string => `${lines}p`

export function parseQuality(name: string): Quality | null {
	const [, lines, fps] = NAME.exec(name) ?? []
	return lines === undefined
		? null
		: { name, lines: Number(lines), fps: fps === undefined ? null : Number(fps) }
}

export const composeRungId = (codec: string, quality: string): string => `${codec}-${quality}`

/** Returns the quality of a rung; null for sound. */
export const parseRungQuality = (rungId: string): Quality | null =>
	parseQuality(rungId.slice(rungId.lastIndexOf('-') + 1))

/**
 * Returns the quality of `among` as which a reported one is counted: itself, else the next higher one, and the highest
 * for a higher one. `other` if the report has no quality.
 */
export function findCountedQuality(name: string, among = qualities): string {
	const quality = parseQuality(name)
	if (!quality) return 'other'
	const hasLines = (step: QualityStep) => quality.lines <= (parseQuality(step.name)?.lines ?? 0)
	return (among.find((step) => step.name === name) ?? among.find(hasLines) ?? among.at(-1))?.name ?? 'other'
}
