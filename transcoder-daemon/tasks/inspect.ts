import { stat } from 'node:fs/promises'
import { type AudioInfo, MediaInfo, type VideoInfo } from '#schema/contract/media-info.ts'
import { isCutOff } from '../ffmpeg/cut-off.ts'
import { type ProbedStream, probe, type Reader, readIdrTimes, readPackets } from '../ffmpeg/probe.ts'
import { landsOnKeyframes } from '../ffmpeg/seek-behavior.ts'
import { Span, Timeline } from '../ffmpeg/timeline.ts'
import {
	ENDS_EARLY,
	refusalOf,
	refuseContainer,
	refuseGrowth,
	refuseLength,
	refusePicture,
	SILENT_AND_BLIND,
	wasCutOff,
} from './refusals.ts'
import { describePicture, describeSound, findAudio, findVideo } from './streams.ts'
import { type RunTask, SourceError, type TaskContext } from './task.ts'
import { type Clock, describeTiming, keepIdr, mayBeCopied } from './timing.ts'

const PROBE_MS = 30_000
/** Slower than any disk that a machine would be used with. */
const BYTES_PER_MS = 10_000

export const inspect: RunTask<'inspect'> = async ({ maxDurationSec }, context) => {
	const begun = performance.now()
	const info = await inspectSource(context, maxDurationSec).catch((error: unknown) => {
		throw refusalOf(error)
	})
	return {
		kind: 'inspect',
		info,
		workSec: (performance.now() - begun) / 1_000,
		mediaSec: info.durationSec,
		hwAccelUsed: false,
		notes: [],
	}
}

async function inspectSource(context: TaskContext, maxDurationSec: number): Promise<MediaInfo> {
	const { programs, signal, workDir, sourcePath } = context
	if (sourcePath === null) throw new Error('inspect was given no source')
	const { size } = await stat(sourcePath)
	if (size === 0) throw new SourceError('The file is empty.')
	if (await isCutOff(sourcePath)) throw new SourceError(ENDS_EARLY)
	const access = { workDir, readable: [sourcePath] }
	// Looking for a beginning, too, a program may go through all of the file.
	const timeoutMs = PROBE_MS + Math.ceil(size / BYTES_PER_MS)
	const reader: Reader = { programs, signal, sourcePath, access, timeoutMs }

	const probed = await probe(reader)
	refuseContainer(probed)
	context.progress(0.2)
	const picture = findVideo(probed.streams)
	if (picture) refusePicture(picture)
	const sounds = findAudio(probed.streams)
	if (!picture && sounds.length === 0) throw new SourceError(SILENT_AND_BLIND)

	const { timeline, spans } = await readTimes(reader, size, picture, sounds)
	context.progress(0.7)
	const clock = {
		beginsAtSec: probed.format.start_time ?? 0,
		isIndexed: await landsOnKeyframes(sourcePath),
	}
	const video = picture && (await describeVideo(reader, picture, timeline, clock))
	const audio = sounds.flatMap((sound) => describeSound(sound, spans.get(sound.index), clock) ?? [])
	const durationSec = lengthOf([...(video ? [video] : []), ...audio])
	refuseLength(durationSec, probed, maxDurationSec)

	const container = probed.format.format_name.slice(0, 80)
	const info = { container, sizeBytes: size, durationSec, video: video ?? null, audio }
	const { data, error } = MediaInfo.safeParse(info)
	if (error) throw new SourceError('What this file says of itself makes no sense.', error.message)
	return data
}

/** Only what every packet says is true of the whole file; heads of files promise and estimate. */
async function readTimes(
	reader: Reader,
	fileBytes: number,
	picture: ProbedStream | undefined,
	sounds: readonly ProbedStream[],
): Promise<{ timeline: Timeline; spans: ReadonlyMap<number, Span> }> {
	const timeline = new Timeline()
	const spans = new Map(sounds.map(({ index }) => [index, new Span()]))
	let packedBytes = 0
	const complaints = await readPackets(reader, (packet) => {
		packedBytes += packet.size
		refuseGrowth(packedBytes, fileBytes)
		if (packet.streamIndex === picture?.index) timeline.add(packet)
		else spans.get(packet.streamIndex)?.add(packet)
	})
	if (wasCutOff(complaints)) throw new SourceError(ENDS_EARLY, complaints)
	return { timeline, spans }
}

async function describeVideo(
	reader: Reader,
	stream: ProbedStream,
	timeline: Timeline,
	clock: Clock,
): Promise<VideoInfo> {
	const video = { ...describePicture(stream), ...describeTiming(stream, timeline, clock) }
	if (!mayBeCopied(video)) return video
	return { ...video, ...keepIdr(video, timeline, await readIdrTimes(reader, stream.index)) }
}

function lengthOf(parts: readonly Pick<AudioInfo, 'startSec' | 'durationSec'>[]): number {
	if (parts.length === 0) throw new SourceError(SILENT_AND_BLIND)
	const begin = Math.min(...parts.map(({ startSec }) => startSec))
	return Math.max(...parts.map(({ startSec, durationSec }) => startSec + durationSec)) - begin
}
