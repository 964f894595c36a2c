import type { PlaybackState } from '#schema/contract/watch/analytics/playback-state.ts'

/** The headers of a browser that people use, so that its sessions count as those of viewers. */
export const chrome = {
	'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
}

/** The state of a player that has played a video from its start for some seconds without any trouble. */
export const stateAt = (
	sec: number,
	{ seq = sec + 1, ...more }: Partial<PlaybackState> = {},
): PlaybackState => ({
	seq,
	activity: 'playing',
	positionMs: sec * 1_000,
	watchedMs: sec * 1_000,
	played: sec > 0 ? [0, sec * 10] : [],
	startupMs: sec > 0 ? 300 : null,
	waitedMs: 300,
	stalls: 0,
	stalledMs: 0,
	seeks: 0,
	seekMs: 0,
	renditionMs: {},
	deliveredMs: {},
	bitrateMs: 0,
	upscaleMs: 0,
	upscaleMax: 0,
	renditionsUp: 0,
	renditionsDown: 0,
	droppedFrames: 0,
	error: null,
	...more,
})
