import type { Rational } from '#schema/contract/video/media-info.ts'
import type { RungResult, TaskResultByKind, VideoCodec } from '#schema/contract/video/tasks.ts'
import type { JobPlan } from '#schema/tables/video/job-plan.ts'
import { initUri, segmentUri } from './layout.ts'
import type { TaskOutput } from './task-output.ts'

type PlacedSegment = { uri: string; bytes: number; frames: number; keyBytes: number }

/** All segments of a rung in order, from any number of tasks. */
export type RungStream = {
	rung: JobPlan['rungs'][number]
	initUri: string
	codecs: string
	width: number
	height: number
	segments: PlacedSegment[]
}

/** The outputs of machines are inconsistent and would not play smoothly. */
export class UnfitOutputsError extends Error {
	override name = 'UnfitOutputsError'
}

type Piece = { folder: string; firstSegment: number; result: RungResult }

/** Returns the complete rungs of one codec, best first. Throws unless they are aligned with `others`. */
export function listCompleteRungs(
	plan: JobPlan,
	outputs: readonly TaskOutput[],
	codec: VideoCodec,
	others: readonly RungStream[] = [],
): RungStream[] {
	const chunks = groupChunkOutputs(plan, outputs, codec)
	const streams = plan.rungs.flatMap((rung) => {
		if (rung.codec !== codec) return []
		const pieces = rung.copied ? copiedPiece(rung.id, outputs) : chunks && encodedPieces(chunks, rung.id)
		return pieces ? [joinPieces(rung, pieces)] : []
	})
	const first = others[0] ?? streams[0]
	for (const stream of streams) if (first && stream !== first) requireAligned(first, stream)
	return streams
}

function copiedPiece(id: string, outputs: readonly TaskOutput[]): Piece[] | null {
	for (const { folder, result } of outputs)
		if (result.kind === 'remux' && result.rung.id === id)
			return [{ folder, firstSegment: 0, result: result.rung }]
	return null
}

function encodedPieces(chunks: readonly ChunkOutput[], id: string): Piece[] {
	return chunks.map(({ folder, result, start }) => {
		const own = result.rungs.find((rung) => rung.id === id)
		if (!own) throw new UnfitOutputsError(`${folder} has no rung ${id}`)
		return { folder, firstSegment: start.segment, result: own }
	})
}

type ChunkOutput = { folder: string; result: TaskResultByKind<'video'>; start: JobPlan['starts'][number] }

/** Returns the chunks of one codec in order, after checking their lengths; null while one is missing. */
export function groupChunkOutputs(
	plan: JobPlan,
	outputs: readonly TaskOutput[],
	codec: VideoCodec,
): ChunkOutput[] | null {
	const ids = new Set(plan.rungs.filter((rung) => rung.codec === codec).map(({ id }) => id))
	const own = outputs.flatMap(({ folder, index, result }) =>
		result.kind === 'video' && result.rungs.some(({ id }) => ids.has(id))
			? [{ folder, result, chunk: index % plan.chunks }]
			: [],
	)
	const chunks = plan.starts.flatMap((start, index) => {
		const output = own.find(({ chunk }) => chunk === index)
		return output ? [{ folder: output.folder, result: output.result, start }] : []
	})
	if (chunks.length === 0 || chunks.length < plan.chunks) return null
	for (const [index, { folder, result, start }] of chunks.entries()) {
		const next = plan.starts[index + 1]
		if (next && result.frames !== next.frame - start.frame)
			throw new UnfitOutputsError(`${folder} has ${result.frames} frames, not ${next.frame - start.frame}`)
		for (const rung of result.rungs) {
			const frames = rung.segments.reduce((sum, segment) => sum + segment.frames, 0)
			if (frames !== result.frames)
				throw new UnfitOutputsError(`${folder}/${rung.id} has ${frames} frames, not ${result.frames}`)
			if (next && rung.segments.length !== next.segment - start.segment)
				throw new UnfitOutputsError(
					`${folder}/${rung.id} has ${rung.segments.length} segments, not ${next.segment - start.segment}`,
				)
		}
	}
	return chunks
}

function joinPieces(rung: JobPlan['rungs'][number], pieces: readonly Piece[]): RungStream {
	const first = pieces[0]
	if (!first) throw new UnfitOutputsError(`${rung.id} has no segments`)
	const { init, codecs, width, height } = first.result
	for (const { folder, result } of pieces)
		if (
			result.init.sha256 !== init.sha256 ||
			result.encoder !== first.result.encoder ||
			result.codecs !== codecs
		)
			throw new UnfitOutputsError(
				`${folder}/${rung.id} was encoded by ${result.encoder} and does not match ${first.folder}`,
			)
	return {
		rung,
		initUri: initUri(first.folder, rung.id),
		codecs,
		width,
		height,
		segments: pieces.flatMap(({ folder, firstSegment, result }) =>
			result.segments.map((segment, k) => ({
				uri: segmentUri(folder, rung.id, firstSegment + k),
				...segment,
			})),
		),
	}
}

/**
 * Throws unless both rungs have the same segment boundaries, where players switch quality. The last segment of a copy
 * may differ by one frame, since the grid rounds the end of the source.
 */
function requireAligned(a: RungStream, b: RungStream): void {
	const count = a.segments.length
	if (count !== b.segments.length)
		throw new UnfitOutputsError(
			`${a.rung.id} has ${count} segments, but ${b.rung.id} has ${b.segments.length}`,
		)
	const oneIsCopied = a.rung.copied !== b.rung.copied
	for (const [k, { frames }] of a.segments.entries()) {
		const differ = Math.abs(frames - (b.segments[k]?.frames ?? 0))
		if (differ > (oneIsCopied && k === count - 1 ? 1 : 0))
			throw new UnfitOutputsError(
				`segment ${k} of ${a.rung.id} has ${frames} frames, but ${b.rung.id} has ${b.segments[k]?.frames}`,
			)
	}
}

export function requireFps({ fps }: { fps: Rational | null }): Rational {
	if (!fps) throw new UnfitOutputsError('a video output, but the plan has no video')
	return fps
}
