import type { MediaInfo } from '#schema/contract/video/media-info.ts'

/** Returns the inspection of a VP9 film at 25 frames per second, which must be encoded. */
export const aFilm = (seconds: number, overrides: Partial<MediaInfo> = {}): MediaInfo => ({
	container: 'matroska,webm',
	sizeBytes: 1_000,
	durationSec: seconds,
	video: {
		streamIndex: 0,
		codec: 'vp9',
		profile: 'Profile 0',
		level: null,
		pixelFormat: 'yuv420p',
		bitDepth: 8,
		chroma: '4:2:0',
		codedWidth: 1280,
		codedHeight: 720,
		sampleAspect: { num: 1, den: 1 },
		rotation: 0,
		displayWidth: 1280,
		displayHeight: 720,
		isInterlaced: false,
		frameRate: { num: 25, den: 1 },
		isConstantRate: true,
		frameCount: seconds * 25,
		startSec: 0,
		clockSec: null,
		durationSec: seconds,
		bitrateKbps: 2_000,
		color: { range: null, space: null, transfer: null, primaries: null },
		isHdr: false,
		isClosedGop: true,
		longestGopSec: 2,
		keyframes: null,
	},
	audio: [
		{
			streamIndex: 1,
			codec: 'opus',
			profile: null,
			channels: 2,
			sampleRate: 48_000,
			bitrateKbps: 128,
			startSec: 0,
			clockSec: null,
			durationSec: seconds,
			language: 'en',
			title: null,
			isDefault: true,
		},
	],
	...overrides,
})

/** Returns a film of one rung. It makes a third of the objects that `aFilm` makes. */
export function aSmallFilm(seconds: number, overrides: Partial<MediaInfo> = {}): MediaInfo {
	const film = aFilm(seconds, overrides)
	const size = { codedWidth: 320, codedHeight: 180, displayWidth: 320, displayHeight: 180 }
	return { ...film, video: film.video && { ...film.video, ...size } }
}

/** Returns the inspection of an H.264 film whose top rung can be copied. */
export function aStandardFilm(seconds: number): MediaInfo {
	const film = aFilm(seconds)
	if (!film.video) throw new Error('the film has no video')
	const keyframes = Array.from({ length: Math.ceil(seconds / 2) }, (_, k) => k * 50)
	film.container = 'mov,mp4,m4a,3gp,3g2,mj2'
	film.video = { ...film.video, codec: 'h264', profile: 'High', level: 31, keyframes }
	return film
}
