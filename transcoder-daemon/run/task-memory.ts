import type { VideoInfo } from '#schema/contract/video/media-info.ts'
import type { Rung, TaskSpec, TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import { findEncoderFamily } from '../ffmpeg/encoder-args.ts'

const MIB = 1024 ** 2

/** Memory of the program with its libraries, and of the daemon's upload buffers. */
const BASE_BYTES = 160 * MIB

/** A medium-sized model with its program; the memory of an operator's program is unknown. */
const RECOGNIZER_BYTES = 1_024 * MIB

/** Thread counts with which a machine starts its programs. */
export type Threads = {
	/** Threads of a chunk's decoder and of each encoder. */
	threads: number
	/** Cores, for programs that choose their own number of threads. */
	cores: number
}

/** Encoders get 8-bit 4:2:0. */
const BYTES_PER_ENCODED_PIXEL = 1.5

/**
 * Frames in memory: `frames`, plus `perThread` for each thread. The peak RSS of ffmpeg on generated 1080p and 4K
 * sources, rounded up; test/transcoder-daemon/run/task-memory.unit.test.ts has the numbers.
 */
type FrameBuffers = { frames: number; perThread: number }

const H264_DECODED: FrameBuffers = { frames: 10, perThread: 2 }
const decoded: Readonly<Record<string, FrameBuffers>> = {
	h264: H264_DECODED,
	hevc: { frames: 12, perThread: 2 },
	av1: { frames: 18, perThread: 3 },
}
const OTHER_DECODED: FrameBuffers = { frames: 18, perThread: 3 }
const encoded = {
	libx264: { frames: 110, perThread: 14 },
	libx265: { frames: 120, perThread: 13 },
	libsvtav1: { frames: 190, perThread: 10 },
} as const satisfies Record<string, FrameBuffers>
/** Graphics cards have their own memory; these are the frames in transit. */
const HARDWARE_ENCODED: FrameBuffers = { frames: 40, perThread: 0 }

/** Three colors of 32 bits each, while HDR is tone-mapped. */
const TONE_MAP_BYTES_PER_PIXEL = 12
const TONE_MAP_FRAMES = 8
const DEINTERLACER_FRAMES = 4
/** A preview is joined from this many inputs, each with its own decoder. */
const PREVIEW_INPUTS = 6
/** No decoder starts more threads by itself. */
const MAX_DECODER_THREADS = 16

/** Estimates the maximum memory of a task's programs. */
export function estimateMemory(spec: TaskSpec, { threads, cores }: Threads): number {
	switch (spec.kind) {
		case 'video':
			return (
				BASE_BYTES + decodedBytes(spec, threads) + sum(spec.rungs.map((rung) => encodedBytes(rung, threads)))
			)
		case 'stills': {
			const threads = Math.min(MAX_DECODER_THREADS, cores + 1)
			return BASE_BYTES + PREVIEW_INPUTS * decodedBytes(spec, threads)
		}
		case 'clip':
			return BASE_BYTES + (spec.rung ? clipBytes(spec.rung, threads) : 0)
		case 'poster':
			return BASE_BYTES + posterBytes(spec, threads)
		case 'transcribe':
			return RECOGNIZER_BYTES
		case 'fetch':
		case 'inspect':
		case 'remux':
		case 'audio':
		case 'download':
		case 'speech-plan':
			return BASE_BYTES
	}
}

type Size = { width: number; height: number }

/** A clip has the size of its source: one rung of this daemon, in H.264. */
function clipBytes(rung: Rung, threads: number): number {
	return posterBytes(rung, threads) + encodedBytes(rung, threads)
}

/** A poster is one decoded H.264 segment. */
function posterBytes({ width, height }: Size, threads: number): number {
	const { frames, perThread } = H264_DECODED
	return width * height * BYTES_PER_ENCODED_PIXEL * (frames + perThread * threads)
}

function decodedBytes({ video, prepare }: TaskSpecByKind<'video' | 'stills'>, threads: number): number {
	const pixels = video.codedWidth * video.codedHeight
	const { frames, perThread } = decoded[video.codec] ?? OTHER_DECODED
	const frameCount = frames + perThread * threads + (prepare.deinterlace ? DEINTERLACER_FRAMES : 0)
	const toneMap = prepare.toneMap ? TONE_MAP_FRAMES * TONE_MAP_BYTES_PER_PIXEL : 0
	return pixels * (frameCount * bytesPerPixel(video) + toneMap)
}

function encodedBytes({ encoder, width, height }: Rung, threads: number): number {
	const softwareBuffers: Readonly<Record<string, FrameBuffers>> = encoded
	const { frames, perThread } =
		findEncoderFamily(encoder) === 'software'
			? (softwareBuffers[encoder] ?? encoded.libsvtav1)
			: HARDWARE_ENCODED
	return width * height * BYTES_PER_ENCODED_PIXEL * (frames + perThread * threads)
}

const samplesPerPixel = { '4:2:0': 1.5, '4:2:2': 2, '4:4:4': 3, other: 4 } as const

const bytesPerPixel = ({ chroma, bitDepth }: VideoInfo): number =>
	samplesPerPixel[chroma] * (bitDepth > 8 ? 2 : 1)

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)
