import { createNumberReader, encodeNumber } from './digits.ts'
import { mergeSpans, type Span, TICK_MS, toPlayedSpans, toWholeDurationMs } from './spans.ts'

/** How much of each part of a video was played, in milliseconds. The last bucket may be shorter than `bucketMs`. */
export type Curve = {
	bucketMs: number
	/** Repetitions included. */
	heat: number[]
	/** Each moment counts once for a session. */
	cover: number[]
}

const MIN_BUCKET_MS = 1_000
const MAX_BUCKETS = 1_000

/** Whole ticks, so that every bucket has a whole number of them, which packs well. */
const bucketMsOf = (durationMs: number): number =>
	Math.max(MIN_BUCKET_MS, Math.ceil(durationMs / MAX_BUCKETS / TICK_MS) * TICK_MS)

/** Returns the curve of one session; null if the duration of the video is unknown. */
export function computeCurve(played: readonly number[], durationMs: number): Curve | null {
	const videoMs = toWholeDurationMs(durationMs)
	if (videoMs === 0) return null
	const bucketMs = bucketMsOf(videoMs)
	const buckets = Math.ceil(videoMs / bucketMs)
	const spans = toPlayedSpans(played, videoMs)
	return {
		bucketMs,
		heat: spread(spans, bucketMs, buckets),
		cover: spread(mergeSpans(spans), bucketMs, buckets),
	}
}

function spread(spans: readonly Span[], bucketMs: number, buckets: number): number[] {
	const curve = new Array<number>(buckets).fill(0)
	for (const { startMs, endMs } of spans)
		for (let bucket = Math.floor(startMs / bucketMs); bucket * bucketMs < endMs; bucket++) {
			const fromMs = Math.max(startMs, bucket * bucketMs)
			const untilMs = Math.min(endMs, (bucket + 1) * bucketMs)
			curve[bucket] = (curve[bucket] ?? 0) + untilMs - fromMs
		}
	return curve
}

/** Adds curves of the same video. Throws if they have different buckets, because the video was replaced. */
export function addCurves(a: Curve, b: Curve): Curve {
	if (a.bucketMs !== b.bucketMs)
		throw new RangeError(`curves with buckets of ${a.bucketMs} and ${b.bucketMs} ms can't be added`)
	return { bucketMs: a.bucketMs, heat: addLists(a.heat, b.heat), cover: addLists(a.cover, b.cover) }
}

function addLists(a: readonly number[], b: readonly number[]): number[] {
	const [longer, shorter] = a.length < b.length ? [b, a] : [a, b]
	return longer.map((value, at) => value + (shorter[at] ?? 0))
}

/**
 * Returns a curve as a short text: its buckets, then heat, then what was played again. Viewers who play a video from its
 * start make no repetitions, and neighbors are similar, so each number is stored as the difference from the one before.
 */
export function packCurve({ bucketMs, heat, cover }: Curve): string {
	const repeated = heat.map((ms, at) => ms - (cover[at] ?? 0))
	return encodeNumber(bucketMs) + encodeNumber(heat.length) + packList(heat) + packList(repeated)
}

export function unpackCurve(packed: string): Curve {
	const read = createNumberReader(packed)
	const bucketMs = read()
	const buckets = read()
	const heat = readList(read, buckets)
	const repeated = readList(read, buckets)
	return { bucketMs, heat, cover: heat.map((ms, at) => ms - (repeated[at] ?? 0)) }
}

/** 0 starts a run of equal numbers and is followed by its length. */
const RUN = 0

function packList(list: readonly number[]): string {
	let packed = ''
	let [previous, run] = [0, 0]
	const packRun = () => (run === 0 ? '' : encodeNumber(RUN) + encodeNumber(run))
	for (const value of list) {
		if (value === previous) {
			run++
			continue
		}
		packed += packRun() + encodeNumber(codeOf(value - previous))
		previous = value
		run = 0
	}
	return packed + packRun()
}

function readList(read: () => number, length: number): number[] {
	const list: number[] = []
	let previous = 0
	while (list.length < length) {
		const code = read()
		if (code !== RUN) previous += differenceOf(code)
		const run = code === RUN ? read() : 1
		if (run < 1 || run > length - list.length) throw new RangeError('a packed curve has too many buckets')
		for (let repeated = 0; repeated < run; repeated++) list.push(previous)
	}
	return list
}

/** Codes a difference other than 0 with its sign and unit: almost all are whole ticks. */
function codeOf(difference: number): number {
	const isTicks = difference % TICK_MS === 0
	const size = Math.abs(difference) / (isTicks ? TICK_MS : 1)
	return size * 4 + (difference < 0 ? 2 : 0) + (isTicks ? 0 : 1)
}

function differenceOf(code: number): number {
	const size = Math.floor(code / 4) * (code % 2 === 0 ? TICK_MS : 1)
	return code % 4 >= 2 ? -size : size
}
