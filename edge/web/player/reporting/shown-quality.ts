import type { PlaybackState } from '#schema/contract/watch/analytics/playback-state.ts'

/** The quality that is shown. */
export type ShownRendition = {
	/** Null for audio, or if the browser doesn't report it. */
	height: number | null
	/** In kbit/s. */
	bitrate: number
	/** How far the picture is enlarged: 0 for its own size, 1 for twice that. */
	upscale: number
}

type Totals = Pick<
	PlaybackState,
	'renditionMs' | 'deliveredMs' | 'bitrateMs' | 'upscaleMs' | 'upscaleMax' | 'renditionsUp' | 'renditionsDown'
>

const MAX_HEIGHTS = 20
const MAX_UPSCALE = 100

/** Sums how long each quality was shown, and how much was loaded. */
export function openShownQuality() {
	const shownMs = new Map<number, number>()
	const loadedMs = new Map<number, number>()
	let shown: ShownRendition = { height: null, bitrate: 0, upscale: 0 }
	let bitrateMs = 0
	let upscaleMs = 0
	let upscaleMax = 0
	let renditionsUp = 0
	let renditionsDown = 0

	return {
		/** From now on, this is shown. */
		show(next: ShownRendition, hasStarted: boolean): void {
			if (hasStarted && shown.height && next.height) {
				if (next.height > shown.height) renditionsUp++
				if (next.height < shown.height) renditionsDown++
			}
			shown = { ...next, upscale: Math.min(MAX_UPSCALE, next.upscale) }
		},
		/** The video played for this long. */
		play(ms: number): void {
			if (ms <= 0) return
			addTo(shownMs, shown.height, ms)
			bitrateMs += shown.bitrate * ms
			upscaleMs += shown.upscale * ms
			upscaleMax = Math.max(upscaleMax, shown.upscale)
		},
		load: (height: number, ms: number): void => addTo(loadedMs, height, ms),
		totals: (): Totals => ({
			renditionMs: byHeight(shownMs),
			deliveredMs: byHeight(loadedMs),
			bitrateMs,
			upscaleMs,
			upscaleMax,
			renditionsUp,
			renditionsDown,
		}),
	}
}

function addTo(totals: Map<number, number>, height: number | null, ms: number): void {
	if (height === null || height < 10 || height > 99_999) return
	if (totals.size < MAX_HEIGHTS || totals.has(height)) totals.set(height, (totals.get(height) ?? 0) + ms)
}

const byHeight = (totals: ReadonlyMap<number, number>): Record<string, number> =>
	Object.fromEntries([...totals].map(([height, ms]) => [height, Math.round(ms)]))
