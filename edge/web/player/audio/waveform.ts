/** The width of a bar and the gap after it, in pixels. */
const BAR_PX = 4
const MIN_BARS = 20
/** The height of the quietest bar, in percent: silence is a line, too. */
const MIN_HEIGHT = 4

/** Cuts the time line into the shape of the waveform, with as many bars as fit. */
export function drawWaveform(track: HTMLElement, peaks: readonly number[]): void {
	new ResizeObserver(() => {
		const count = Math.max(MIN_BARS, Math.floor(track.clientWidth / BAR_PX))
		const image = `url("data:image/svg+xml,${encodeURIComponent(renderBars(chooseBars(peaks, count)))}")`
		track.style.setProperty('mask', `${image} 0 0 / 100% 100%`)
		track.style.setProperty('-webkit-mask', `${image} 0 0 / 100% 100%`)
	}).observe(track)
}

/** Returns the loudest peak of each of `count` equal parts; fewer bars if there are fewer peaks. */
export function chooseBars(peaks: readonly number[], count: number): number[] {
	const bars = Math.min(count, peaks.length)
	return Array.from({ length: bars }, (_, bar) =>
		Math.max(
			...peaks.slice(Math.floor((bar * peaks.length) / bars), Math.floor(((bar + 1) * peaks.length) / bars)),
		),
	)
}

function renderBars(bars: readonly number[]): string {
	const path = bars.map((peak, at) => {
		const height = Math.max(MIN_HEIGHT, (peak / 255) * 100)
		return `M${at + 0.15} ${50 - height / 2}h.7v${height}h-.7z`
	})
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${bars.length} 100" preserveAspectRatio="none"><path d="${path.join('')}"/></svg>`
}
