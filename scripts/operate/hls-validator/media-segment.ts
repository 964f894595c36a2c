import { type Box, findBox, findBoxes, isIsoFile, readBoxes, toDataView } from './boxes.ts'
import type { Init, Track } from './init-segment.ts'
import { isKeySample } from './key-sample.ts'

/** The part of one track in a segment. Times are in seconds. */
export type Fragment = {
	track: Track
	samples: number
	decodeStart: number
	decodeEnd: number
	/** Presentation times. */
	start: number
	end: number
	/** Whether the first sample is a key frame, by its own bytes if they can be parsed. */
	startsWithKey: boolean
	/** Whether the first sample is complete. */
	hasWholeFirstSample: boolean
	/** Decode times of samples that are marked as key frames. */
	keys: number[]
}

export type MediaSegment = {
	format: 'mp4' | 'ts' | 'vtt' | 'unknown'
	bytes: number
	fragments: Fragment[]
	startsWithMoof: boolean
	/** Whether its last box is complete. */
	isWhole: boolean
	text: string | null
}

const TS_SYNC = 0x47

export function readMediaSegment(bytes: Uint8Array, init: Init | null): MediaSegment {
	const nothing = { bytes: bytes.length, fragments: [], startsWithMoof: false, isWhole: true, text: null }
	if (isIsoFile(bytes)) {
		return { ...nothing, format: 'mp4', ...readFragments(bytes, init) }
	}
	if (bytes[0] === TS_SYNC && (bytes.length <= 188 || bytes[188] === TS_SYNC))
		return { ...nothing, format: 'ts' }
	const begin = new TextDecoder().decode(bytes.subarray(0, 9)).replace(/^\uFEFF/, '')
	if (begin.startsWith('WEBVTT')) return { ...nothing, format: 'vtt', text: new TextDecoder().decode(bytes) }
	return { ...nothing, format: 'unknown' }
}

function readFragments(bytes: Uint8Array, init: Init | null) {
	const boxes = readBoxes(bytes)
	const runs = boxes.filter(({ type }) => type === 'moof').flatMap((moof) => readMoof(moof, bytes, init))
	const ids = [...new Set(runs.map(({ track }) => track.id))]
	const first = boxes.find(({ type }) => !['styp', 'sidx', 'emsg', 'prft'].includes(type))
	return {
		startsWithMoof: first?.type === 'moof',
		isWhole: boxes.every(({ start, size }) => start + size <= bytes.length),
		fragments: ids.map((id) => joinRuns(runs.filter(({ track }) => track.id === id))),
	}
}

function joinRuns(runs: readonly Fragment[]): Fragment {
	const [first] = runs
	if (!first) throw new Error('a track has no runs')
	return {
		track: first.track,
		samples: runs.reduce((sum, run) => sum + run.samples, 0),
		decodeStart: first.decodeStart,
		decodeEnd: Math.max(...runs.map((run) => run.decodeEnd)),
		start: Math.min(...runs.map((run) => run.start)),
		end: Math.max(...runs.map((run) => run.end)),
		startsWithKey: first.startsWithKey,
		hasWholeFirstSample: first.hasWholeFirstSample,
		keys: runs.flatMap((run) => run.keys),
	}
}

function readMoof(moof: Box, file: Uint8Array, init: Init | null): Fragment[] {
	return findBoxes(moof.body, 'traf').flatMap(({ body }) => {
		const header = findBox(body, 'tfhd')
		const time = findBox(body, 'tfdt')
		if (!header || !time) return []
		const track = init?.tracks.find(({ id }) => id === toDataView(header.body).getUint32(4))
		if (!track) return []
		const timeView = toDataView(time.body)
		const decode = time.body[0] === 1 ? Number(timeView.getBigUint64(4)) : timeView.getUint32(4)
		const samples = findBoxes(body, 'trun').flatMap((run) =>
			readRun(run.body, readTrackHeader(header.body, track)),
		)
		return [describe(track, decode, samples, moof.start, file)]
	})
}

type Defaults = Track['defaults']
type Sample = { duration: number; size: number; flags: number; shift: number; offset: number | null }

/** Reads the optional fields of a tfhd box, whose flags say which are present. */
function readTrackHeader(header: Uint8Array, { defaults }: Track): Defaults {
	const view = toDataView(header)
	const flags = view.getUint32(0) & 0xffffff
	let at = 8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0)
	const next = (bit: number, fallback: number) => {
		if (!(flags & bit)) return fallback
		at += 4
		return view.getUint32(at - 4)
	}
	const duration = next(8, defaults.duration)
	const size = next(16, defaults.size)
	return { duration, size, flags: next(32, defaults.flags) }
}

function readRun(run: Uint8Array, defaults: Defaults): Sample[] {
	const view = toDataView(run)
	const flags = view.getUint32(0) & 0xffffff
	const count = view.getUint32(4)
	let at = 8
	const next = (bit: number, fallback: number) => {
		if (!(flags & bit) || at + 4 > run.length) return fallback
		at += 4
		return view.getUint32(at - 4)
	}
	const offset = flags & 1 ? next(1, 0) : null
	const firstFlags = next(4, defaults.flags)
	return Array.from({ length: Math.min(count, 1_000_000) }, (_, k) => ({
		duration: next(256, defaults.duration),
		size: next(512, defaults.size),
		flags: next(1_024, k === 0 ? firstFlags : defaults.flags),
		// Signed in version 1. In version 0 some writers store negative values, too.
		shift: next(2_048, 0) | 0,
		offset: k === 0 ? offset : null,
	}))
}

const NOT_A_KEY = 0x10000

function describe(
	track: Track,
	decode: number,
	samples: Sample[],
	moofStart: number,
	file: Uint8Array,
): Fragment {
	const scale = track.timescale || 1
	let [at, start, end] = [decode, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
	const keys: number[] = []
	for (const { duration, shift, flags } of samples) {
		start = Math.min(start, at + shift)
		end = Math.max(end, at + shift + duration)
		if (!(flags & NOT_A_KEY)) keys.push(at / scale)
		at += duration
	}
	const first = samples[0]
	const bytes = first && file.subarray(moofStart + (first.offset ?? 0)).subarray(0, first.size)
	return {
		track,
		samples: samples.length,
		decodeStart: decode / scale,
		decodeEnd: at / scale,
		start: (start - track.edit) / scale,
		end: (end - track.edit) / scale,
		startsWithKey: first !== undefined && !(first.flags & NOT_A_KEY) && isKeySample(track, bytes),
		hasWholeFirstSample: bytes?.length === first?.size,
		keys,
	}
}
