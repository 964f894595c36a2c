import { segmentVideo } from '../../../edge/ai/chapters/segmentation/segmentation.ts'
import { findTextTilingBoundaries, placeEvenBoundaries, placeRandomBoundaries } from './baselines.ts'
import { type Scores, scoreBoundaries } from './scores.ts'
import { readScript, type SpokenScript, speak } from './spoken-scripts.ts'

const RANDOM_SEEDS = 20

/** The segmentation methods. Even and random ones know the number of boundaries, which the others have to find. */
const methods: Record<string, (script: SpokenScript) => number[][]> = {
	ours: (script) => [
		segmentVideo(script)
			.slice(1)
			.map(({ startTime }) => startTime),
	],
	texttiling: ({ transcript }) => [findTextTilingBoundaries(transcript)],
	even: ({ truth, durationSec }) => [placeEvenBoundaries(truth.length, durationSec)],
	random: ({ truth, durationSec }) =>
		Array.from({ length: RANDOM_SEEDS }, (_, seed) => placeRandomBoundaries(truth.length, durationSec, seed)),
}

/** Scores each method on each script, and averages over the scripts. */
export function compareMethods(scripts: readonly SpokenScript[]): Record<string, Scores> {
	return Object.fromEntries(
		Object.entries(methods).map(([name, divide]) => [
			name,
			average(
				scripts.map((script) =>
					average(divide(script).map((found) => scoreBoundaries(found, script.truth, script.durationSec))),
				),
			),
		]),
	)
}

function average(all: readonly Scores[]): Scores {
	const mean = (key: keyof Scores) => all.reduce((sum, scores) => sum + scores[key], 0) / all.length
	return { pk: mean('pk'), windowDiff: mean('windowDiff'), f1: mean('f1') }
}

/** Other videos from the topics of the English scripts: 2 to 7 of them in any order. */
export function mixScripts(count: number, topicPauseSec?: number): SpokenScript[] {
	const topics = ['three-topics', 'lecture', 'interview'].flatMap((name) =>
		readScript(name).trim().split(/\n\n+/),
	)
	return Array.from({ length: count }, (_, seed) => {
		const places = shuffle(topics.length, seed)
		const chosen = places.slice(0, 2 + (seed % 6)).flatMap((place) => topics[place] ?? [])
		return speak(`mix ${seed}`, chosen.join('\n\n'), 'en', topicPauseSec)
	})
}

/** Returns the numbers below `count` in an order that depends on the seed. */
export function shuffle(count: number, seed: number): number[] {
	const keys = Array.from(
		{ length: count },
		(_, at) => placeRandomBoundaries(1, 1, seed * 1_000 + at * 7 + 1)[0] ?? 0,
	)
	return keys
		.map((key, at) => ({ key, at }))
		.sort((a, b) => a.key - b.key)
		.map(({ at }) => at)
}
