import type { MediaInfo, VideoInfo } from '#schema/contract/video/media-info.ts'
import type { NonStandardReason } from '#schema/tables/video/job-plan.ts'
import type { FrameGrid } from './frame-grid.ts'
import type { Size } from './frame-size.ts'
import { computeBitrateCapKbps } from './ladder.ts'

/** With longer GOPs, players take too long to switch quality or seek. */
const MAX_GOP_SEC = 6

/** Profiles up to High; few players decode others. */
const profiles = ['Constrained Baseline', 'Baseline', 'Main', 'High']
const MAX_LEVEL = 52

/** Returns why the source can't be copied as the rung of size `top`; empty if it can. */
export function listNonStandardReasons(
	info: MediaInfo,
	video: VideoInfo,
	grid: FrameGrid,
	top: Size,
): NonStandardReason[] {
	const { isClosedGop, longestGopSec, keyframes, sampleAspect } = video
	const isH264 = video.codec === 'h264'
	const isOwnSize = top.width === video.displayWidth && top.height === video.displayHeight
	const halfFrameSec = grid.fps.den / grid.fps.num / 2
	const checks: [NonStandardReason, boolean][] = [
		['video_codec', !isH264],
		['video_profile', isH264 && !isKnownProfile(video)],
		['pixel_format', video.bitDepth !== 8 || video.chroma !== '4:2:0'],
		['interlaced', video.isInterlaced],
		['hdr', video.isHdr],
		['rotation', video.rotation !== 0],
		['pixel_aspect_ratio', sampleAspect.num !== sampleAspect.den],
		['resolution', !isOwnSize],
		['variable_frame_rate', !video.isConstantRate],
		['frame_rate', video.isConstantRate && !grid.isSources],
		['gop_open', isClosedGop === false],
		['gop_size', longestGopSec !== null && longestGopSec > MAX_GOP_SEC],
		['keyframes_unknown', isClosedGop === null || longestGopSec === null || keyframes?.[0] !== 0],
		['start_time', Math.abs(video.startSec) > halfFrameSec],
		['bitrate', kbpsOf(info, video) > computeBitrateCapKbps(top, grid.fps)],
	]
	return checks.filter(([, applies]) => applies).map(([reason]) => reason)
}

const isKnownProfile = ({ profile, level }: VideoInfo): boolean =>
	profile !== null && profiles.includes(profile) && (level ?? 0) <= MAX_LEVEL

// Not all containers have a bitrate per stream. The bitrate of the whole file is an upper bound.
const kbpsOf = (info: MediaInfo, video: VideoInfo): number =>
	video.bitrateKbps || (info.sizeBytes * 8) / 1_000 / info.durationSec
