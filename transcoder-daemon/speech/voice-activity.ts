import type { Readable } from 'node:stream'

/** The sample rate of speech recognition. */
export const SPEECH_RATE = 16_000
const FRAME_SAMPLES = 320
const BYTES_PER_SAMPLE = 2
export const FRAME_MS = (FRAME_SAMPLES * 1_000) / SPEECH_RATE

const SILENT_DB = -100
const DIGITAL_SILENCE_DB = -90
const NOISE_PERCENTILE = 0.1
const SPEECH_PERCENTILE = 0.95
/** The level of speech above the background. */
const MARGIN_DB = 9
/** The level range of pure background noise is smaller. */
const MIN_RANGE_DB = 8
/** Quieter audio is the noise of a recording without speech. */
const MIN_THRESHOLD_DB = -58
const MAX_THRESHOLD_DB = -22
/** Pauses within and between words are shorter. */
const MIN_SILENCE_MS = 300
/** Clicks are shorter than a syllable. */
const MIN_SPEECH_MS = 120
/** Consonants start and end below the threshold. */
const PAD_MS = 80
const MAX_SPANS = 20_000

export type TimeSpan = [fromMs: number, toMs: number]
export type VoiceActivity = { speech: TimeSpan[]; loudness: { noiseDb: number; speechDb: number } }

/** Reads 16-bit samples, and returns the loudness of each 20 ms in decibels below full scale. */
export async function readLoudness(stream: Readable): Promise<Float32Array> {
	let levels = new Float32Array(4_096)
	let count = 0
	let sum = 0
	let samples = 0
	let odd: number | null = null
	const end = () => {
		if (count === levels.length) {
			const larger = new Float32Array(levels.length * 2)
			larger.set(levels)
			levels = larger
		}
		levels[count++] = Math.max(SILENT_DB, 10 * Math.log10(sum / samples / 2 ** 30 || 1e-12))
		sum = 0
		samples = 0
	}
	const add = (low: number, high: number) => {
		const value = ((high << 24) >> 16) | low
		sum += value * value
		if (++samples === FRAME_SAMPLES) end()
	}
	for await (const chunk of stream as AsyncIterable<Buffer>) {
		let at = 0
		if (odd !== null && chunk.length > 0) {
			add(odd, chunk[at++] ?? 0)
			odd = null
		}
		for (; at + BYTES_PER_SAMPLE <= chunk.length; at += BYTES_PER_SAMPLE)
			add(chunk[at] ?? 0, chunk[at + 1] ?? 0)
		if (at < chunk.length) odd = chunk[at] ?? 0
	}
	if (samples > 0) end()
	return levels.slice(0, count)
}

/** Finds speech: audio clearly louder than the background. Steady noise has none. */
export function findSpeech(levels: Float32Array): VoiceActivity {
	// Digital silence, such as before a late track, is not background.
	const sorted = levels.filter((db) => db > DIGITAL_SILENCE_DB).toSorted()
	const percentile = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? SILENT_DB
	const noiseDb = percentile(NOISE_PERCENTILE)
	const speechDb = percentile(SPEECH_PERCENTILE)
	const loudness = { noiseDb: round(noiseDb), speechDb: round(speechDb) }
	// A recording that is nearly silent throughout may still have a few words, above its 95th percentile.
	const loudestDb = sorted.at(-1) ?? SILENT_DB
	if (Math.max(speechDb, loudestDb - MARGIN_DB) - noiseDb < MIN_RANGE_DB) return { speech: [], loudness }
	const threshold = Math.min(MAX_THRESHOLD_DB, Math.max(MIN_THRESHOLD_DB, noiseDb + MARGIN_DB))
	return { speech: spansAbove(levels, threshold), loudness }
}

function spansAbove(levels: Float32Array, threshold: number): TimeSpan[] {
	const loud: TimeSpan[] = []
	for (let at = 0; at < levels.length; at++) {
		if ((levels[at] ?? SILENT_DB) < threshold) continue
		const from = at * FRAME_MS
		const last = loud.at(-1)
		if (last && last[1] === from) last[1] = from + FRAME_MS
		else loud.push([from, from + FRAME_MS])
	}
	let spans = mergeSpans(loud, MIN_SILENCE_MS).filter(([from, to]) => to - from >= MIN_SPEECH_MS)
	for (let gap = MIN_SILENCE_MS * 2; spans.length > MAX_SPANS; gap *= 2) spans = mergeSpans(spans, gap)
	const endMs = levels.length * FRAME_MS
	return spans.map(([from, to]) => [Math.max(0, from - PAD_MS), Math.min(endMs, to + PAD_MS)])
}

function mergeSpans(spans: readonly TimeSpan[], minGapMs: number): TimeSpan[] {
	const merged: TimeSpan[] = []
	for (const [from, to] of spans) {
		const last = merged.at(-1)
		if (last && from - last[1] < minGapMs) last[1] = to
		else merged.push([from, to])
	}
	return merged
}

const round = (db: number): number => Math.round(Math.max(-120, Math.min(0, db)) * 10) / 10
