import { stat } from 'node:fs/promises'
import { type AudioInfo, MediaInfo, type VideoInfo } from '#schema/contract/video/media-info.ts'
import { type ProbedStream, probe, type Reader, readIdrTimes, readPackets } from '../ffmpeg/probe.ts'
import { landsOnKeyframes } from '../ffmpeg/seek-behavior.ts'
import { Span, Timeline } from '../ffmpeg/timeline.ts'
import { isTruncated } from '../mp4/truncation.ts'
import { openSourceHead } from '../source-heads/source-head.ts'
import {
	damagedTimesError,
	rejectInvalidClock,
	rejectLostTracks,
	rejectRushedAudio,
	type TrackTimes,
} from './inspection/damaged-times.ts'
import { rejectEncryption, rejectScrambling } from './inspection/source-protection.ts'
import { requireDecodableAudio, undecodableError } from './inspection/undecodable.ts'
import {
	ENDS_EARLY,
	inspectionError,
	isTruncationMessage,
	NO_TRACKS,
	rejectContainer,
	rejectGrowth,
	rejectLength,
	rejectVideo,
} from './source-errors.ts'
import { chooseVideo, describeAudio, describeVideoTrack, findAudio, findVideo } from './streams.ts'
import { type RunTask, SourceError, type TaskContext } from './task.ts'
import { type Clock, computeClock, describeTiming, isCopyable, selectIdrKeyframes } from './timing.ts'

const PROBE_MS = 30_000
/** Slower than any disk. */
const BYTES_PER_MS = 10_000

export const runInspect: RunTask<'inspect'> = async ({ maxDurationSec }, context) => {
	const startedAt = performance.now()
	const { info, notes } = await inspectSource(context, maxDurationSec).catch((error: unknown) => {
		throw inspectionError(error)
	})
	return {
		kind: 'inspect',
		info,
		workSec: (performance.now() - startedAt) / 1_000,
		mediaSec: info.durationSec,
		hwAccelUsed: false,
		notes,
	}
}

type Inspected = { info: MediaInfo; notes: string[] }

async function inspectSource(context: TaskContext, maxDurationSec: number): Promise<Inspected> {
	const { programs, signal, workDir, sourcePath } = context
	if (sourcePath === null) throw new Error('inspect needs a source')
	const { size } = await stat(sourcePath)
	if (size === 0) throw new SourceError('the file is empty')
	if (await isTruncated(sourcePath)) throw new SourceError(ENDS_EARLY)
	const head = await openSourceHead(sourcePath)
	rejectEncryption(head)
	rejectInvalidClock(head)
	const access = { workDir, readable: [sourcePath] }
	// Even the search for a start may read the whole file.
	const timeoutMs = PROBE_MS + Math.ceil(size / BYTES_PER_MS)
	const reader: Reader = { programs, signal, sourcePath, access, timeoutMs }

	const probed = await probe(reader)
	rejectContainer(probed)
	rejectScrambling(head, probed)
	context.progress(0.2)
	const pictures = findVideo(probed.streams)
	for (const picture of pictures) {
		if (picture.isUndecodable) throw undecodableError(picture, probed, head)
		rejectVideo(picture)
	}
	const sounds = findAudio(probed.streams)
	const undecodableAudio = probed.streams.filter(
		(stream) => stream.codec_type === 'audio' && stream.isUndecodable,
	)
	if (pictures.length + sounds.length + undecodableAudio.length === 0) throw new SourceError(NO_TRACKS)

	const { timelines, spans } = await readTimes(reader, size, pictures, [...sounds, ...undecodableAudio])
	rejectLostTracks(probed, pictures, sounds, { timelines, spans })
	const notes = requireDecodableAudio(probed, head, spans)
	for (const sound of sounds) rejectRushedAudio(sound, spans.get(sound.index))
	context.progress(0.7)
	const picture = chooseVideo(pictures, ({ index }) => timelines.get(index)?.frameCount ?? 0)
	const timeline = picture && timelines.get(picture.index)
	const clock = computeClock(probed, { picture, timeline, sounds, spans }, await landsOnKeyframes(sourcePath))
	const video = picture && timeline && (await describeVideo(reader, picture, timeline, clock))
	const audio = sounds.flatMap((sound) => describeAudio(sound, spans.get(sound.index), clock) ?? [])
	const durationSec = lengthOf([...(video ? [video] : []), ...audio])
	rejectLength(durationSec, probed, maxDurationSec)

	const container = probed.format.format_name.slice(0, 80)
	const info = { container, sizeBytes: size, durationSec, video: video ?? null, audio }
	const { data, error } = MediaInfo.safeParse(info)
	if (error)
		throw new SourceError('the metadata of this file is inconsistent; export it again', error.message)
	return { info: data, notes }
}

/** Reads the times of every packet: file headers only promise and estimate. */
async function readTimes(
	reader: Reader,
	fileBytes: number,
	pictures: readonly ProbedStream[],
	sounds: readonly ProbedStream[],
): Promise<TrackTimes> {
	const timelines = new Map(pictures.map(({ index }) => [index, new Timeline()]))
	const spans = new Map(sounds.map(({ index }) => [index, new Span()]))
	let packedBytes = 0
	const warnings = await readPackets(reader, (packet) => {
		packedBytes += packet.size
		rejectGrowth(packedBytes, fileBytes)
		timelines.get(packet.streamIndex)?.add(packet)
		spans.get(packet.streamIndex)?.add(packet)
	})
	if (isTruncationMessage(warnings)) throw new SourceError(ENDS_EARLY, warnings)
	return { timelines, spans }
}

async function describeVideo(
	reader: Reader,
	stream: ProbedStream,
	timeline: Timeline,
	clock: Clock,
): Promise<VideoInfo> {
	const video = { ...describeVideoTrack(stream), ...describeTiming(stream, timeline, clock) }
	if (timeline.standsStill) throw damagedTimesError('video')
	if (!isCopyable(video)) return video
	return { ...video, ...selectIdrKeyframes(video, timeline, await readIdrTimes(reader, stream.index)) }
}

function lengthOf(parts: readonly Pick<AudioInfo, 'startSec' | 'durationSec'>[]): number {
	if (parts.length === 0) throw new SourceError(NO_TRACKS)
	const begin = Math.min(...parts.map(({ startSec }) => startSec))
	return Math.max(...parts.map(({ startSec, durationSec }) => startSec + durationSec)) - begin
}
