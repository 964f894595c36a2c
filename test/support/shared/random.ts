/** Mulberry32: the same numbers in every run, so that a failure can be reproduced. */
export function randomFrom(seed: number): () => number {
	let state = seed
	return () => {
		state = (state + 0x6d2b79f5) | 0
		let t = Math.imul(state ^ (state >>> 15), 1 | state)
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
		return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
	}
}

/** Random choices, the same in every run. */
export function chooserFrom(seed: number) {
	const random = randomFrom(seed)
	const below = (count: number) => Math.floor(random() * count)
	return {
		random,
		below,
		/** Undefined if the list is empty. */
		one: <T>(from: readonly T[]): T | undefined => from[below(from.length)],
		pick: <T>(...from: [T, ...T[]]): T => from[below(from.length)] as T,
		chance: (share: number) => random() < share,
		some: <T>(from: readonly T[], share: number): T[] => from.filter(() => random() < share),
	}
}
export type Chooser = ReturnType<typeof chooserFrom>
