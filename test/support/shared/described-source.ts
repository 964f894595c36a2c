import type { AudioInfo, MediaInfo, VideoInfo } from '#schema/contract/video/media-info.ts'
import type { EncodeOptions } from '../../../edge/video/transcoding/plan/plan.ts'

/** A source that can be copied: 1080p at 30 frames a second, with a keyframe every two seconds. */
export function describeVideo(seconds: number, changes: Partial<VideoInfo> = {}): VideoInfo {
	const { num, den } = changes.frameRate ?? { num: 30, den: 1 }
	const frames = Math.round((seconds * num) / den)
	const gop = Math.max(1, Math.round((2 * num) / den))
	const keyframes = Array.from({ length: Math.ceil(frames / gop) }, (_, k) => k * gop)
	return {
		streamIndex: 0,
		codec: 'h264',
		profile: 'High',
		level: 40,
		pixelFormat: 'yuv420p',
		bitDepth: 8,
		chroma: '4:2:0',
		codedWidth: changes.displayWidth ?? 1920,
		codedHeight: changes.displayHeight ?? 1080,
		sampleAspect: { num: 1, den: 1 },
		rotation: 0,
		displayWidth: 1920,
		displayHeight: 1080,
		isInterlaced: false,
		frameRate: { num, den },
		isConstantRate: true,
		frameCount: frames,
		startSec: 0,
		clockSec: null,
		durationSec: seconds,
		bitrateKbps: 4_000,
		color: { range: 'tv', space: 'bt709', transfer: 'bt709', primaries: 'bt709' },
		isHdr: false,
		isClosedGop: true,
		longestGopSec: 2,
		keyframes,
		...changes,
	}
}

export function describeAudio(changes: Partial<AudioInfo> = {}): AudioInfo {
	return {
		streamIndex: 1,
		codec: 'aac',
		profile: 'LC',
		channels: 2,
		sampleRate: 48_000,
		bitrateKbps: 128,
		startSec: 0,
		clockSec: null,
		durationSec: 60,
		language: null,
		title: null,
		isDefault: true,
		...changes,
	}
}

export function describeSource(
	seconds: number,
	video: Partial<VideoInfo> | null = {},
	audio: Partial<AudioInfo>[] = [{}],
): MediaInfo {
	return {
		container: 'mov,mp4,m4a,3gp,3g2,mj2',
		sizeBytes: Math.round(seconds * 500_000) || 1,
		durationSec: seconds,
		video: video && describeVideo(seconds, video),
		audio: audio.map((each, k) =>
			describeAudio({ streamIndex: k + 1, durationSec: seconds, isDefault: k === 0, ...each }),
		),
	}
}

const sound = { codec: 'aac', bitrateKbps: 128, sampleRate: 48_000, channels: 2, normalize: false } as const

export const describeOptions = (changes: Partial<EncodeOptions> = {}): EncodeOptions => ({
	codecs: ['h264'],
	encoders: { h264: 'libx264' },
	playback: sound,
	ai: { codec: 'flac', bitrateKbps: null, sampleRate: 16_000, channels: 1, normalize: false },
	maxDurationSec: 12 * 3_600,
	...changes,
})
