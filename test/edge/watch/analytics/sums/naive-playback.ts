/** How often each tenth of a second of a video was played, counted one by one. */
export type NaivePlayback = { ticks: { plays: number; lengthMs: number; startMs: number }[] }

/** An oracle: slow, and written differently from the code under test. */
export function naivePlayback(played: readonly number[], durationMs: number): NaivePlayback {
	const ticks = Array.from({ length: Math.ceil(durationMs / 100) }, (_, tick) => ({
		plays: 0,
		startMs: tick * 100,
		lengthMs: Math.min(100, durationMs - tick * 100),
	}))
	for (let pair = 0; pair < played.length / 2; pair++)
		for (const tick of ticks.slice(played[pair * 2], played[pair * 2 + 1])) tick.plays++
	return { ticks }
}

export function naiveMs({ ticks }: NaivePlayback): { playedMs: number; coveredMs: number } {
	let [playedMs, coveredMs] = [0, 0]
	for (const { plays, lengthMs } of ticks) {
		playedMs += plays * lengthMs
		if (plays > 0) coveredMs += lengthMs
	}
	return { playedMs, coveredMs }
}

export function naiveCurve({ ticks }: NaivePlayback, bucketMs: number): { heat: number[]; cover: number[] } {
	const buckets = [...Map.groupBy(ticks, ({ startMs }) => Math.floor(startMs / bucketMs)).values()]
	return {
		heat: buckets.map((inside) => naiveMs({ ticks: inside }).playedMs),
		cover: buckets.map((inside) => naiveMs({ ticks: inside }).coveredMs),
	}
}
