import type { JobPlan } from '#schema/tables/video/job-plan.ts'
import { SHOTS_NAME } from '../../assets/shots.ts'
import { computeAverageRateBps } from '../plan/bitrates.ts'
import { initUri, segmentUri } from './layout.ts'
import { audioName, iframesName, videoName, writeMasterPlaylist } from './master-playlist.ts'
import { writePeaksFile } from './peaks-file.ts'
import { writeMediaPlaylist } from './playlists.ts'
import { type AudioStream, buildModel, type PresentationModel } from './presentation-model.ts'
import { groupChunkOutputs, type RungStream, requireFps } from './rung-streams.ts'
import { writeStoryboardFile } from './storyboard-file.ts'
import type { TaskOutput } from './task-output.ts'

/** More than five hours with a cut each second. */
const MAX_SHOTS = 20_000

/** Returns the file of shot boundaries, or null if chunks are missing or there is no cut. */
function shotsFile(plan: JobPlan, outputs: readonly TaskOutput[]) {
	if (!plan.rungs.some(({ codec, copied }) => codec === 'h264' && !copied)) return null
	const chunks = groupChunkOutputs(plan, outputs, 'h264')
	// A chunk without shot detection would look like one long shot.
	if (!chunks?.every(({ result }) => result.shots !== undefined)) return null
	const frames = chunks.flatMap(({ result: { shots = [] }, start }) =>
		shots.map((frame) => start.frame + frame),
	)
	if (frames.length === 0) return null
	const { num, den } = requireFps(plan)
	const shots = frames.slice(0, MAX_SHOTS).map((frame) => Math.round((frame * den * 1_000) / num) / 1_000)
	return { name: SHOTS_NAME, contentType: 'application/json', text: JSON.stringify({ shots }) }
}

export type Presentation = {
	/** Playlists, storyboard, cuts and peaks. Only the master playlist changes after it was written. */
	files: { name: string; contentType: string; text: string }[]
	master: string
	/** Renditions for the asset record, one per complete rung. */
	renditions: {
		rungId: string
		quality: string
		width: number
		height: number
		bitrateKbps: number
		codec: string
	}[]
	/** True if every planned H.264 output is present. */
	isWhole: boolean
	unfit: PresentationModel['unfit']
}

export const MASTER_NAME = 'master.m3u8'
const PLAYLIST_TYPE = 'application/vnd.apple.mpegurl'

/** Prints the playlists of the complete outputs. Returns null while nothing can be played. */
export function writePresentation(plan: JobPlan, outputs: readonly TaskOutput[]): Presentation | null {
	const model = buildModel(plan, outputs)
	if (!model) return null
	const { audioStreams, rungs, targetSec } = model
	const storyboard = writeStoryboardFile(plan, outputs)
	const shots = shotsFile(plan, outputs)
	const peaks = writePeaksFile(outputs)
	return {
		files: [
			...audioStreams.map((stream) => playlistFile(audioName(stream), writeAudioPlaylist(stream, targetSec))),
			...rungs.flatMap(({ stream }) => [
				playlistFile(videoName(stream), writeVideoPlaylist(plan, stream, targetSec, false)),
				playlistFile(iframesName(stream), writeVideoPlaylist(plan, stream, targetSec, true)),
			]),
			...(storyboard ? [storyboard] : []),
			...(shots ? [shots] : []),
			...(peaks ? [peaks] : []),
			playlistFile(MASTER_NAME, writeMasterPlaylist(model)),
		],
		master: MASTER_NAME,
		renditions: rungs.map(({ stream, sizes }) => ({
			rungId: stream.rung.id,
			quality: stream.rung.quality,
			width: stream.width,
			height: stream.height,
			bitrateKbps: Math.round(computeAverageRateBps(sizes) / 1_000),
			codec: stream.rung.codec,
		})),
		isWhole: model.hasAllH264 && (plan.rungs.length === 0 || storyboard !== null),
		unfit: model.unfit,
	}
}

const playlistFile = (name: string, text: string) => ({ name, contentType: PLAYLIST_TYPE, text })

function writeVideoPlaylist(
	plan: JobPlan,
	stream: RungStream,
	targetSec: number,
	isIFrames: boolean,
): string {
	const segments = stream.segments.map(({ uri, frames, keyBytes }) => {
		return { uri, length: frames, ...(isIFrames && { range: keyBytes }) }
	})
	return writeMediaPlaylist({
		initUri: stream.initUri,
		segments,
		perSecond: requireFps(plan),
		targetSec,
		isIFrames,
	})
}

function writeAudioPlaylist({ folder, id, segments, sampleRate }: AudioStream, targetSec: number): string {
	return writeMediaPlaylist({
		initUri: initUri(folder, id),
		segments: segments.map(({ samples }, k) => ({
			uri: segmentUri(folder, id, k),
			length: samples,
		})),
		perSecond: { num: sampleRate, den: 1 },
		targetSec,
	})
}
