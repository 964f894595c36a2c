import { expect, test } from 'vitest'
import { findShotCuts, SHOT_PICTURE } from '../../../transcoder-daemon/shots/shot-cuts.ts'

const PIXELS = SHOT_PICTURE.width * SHOT_PICTURE.height
const FPS = 10

/** Pictures of one brightness each, in pieces that are no whole pictures. */
async function* pictures(levels: readonly number[]) {
	const all = Buffer.concat(levels.map((level) => Buffer.alloc(PIXELS, level)))
	for (let at = 0; at < all.length; at += 1_000) yield all.subarray(at, at + 1_000)
}
const cutsOf = (levels: readonly number[]) => findShotCuts(pictures(levels), FPS)
const still = (level: number, frames = 10): number[] => Array.from({ length: frames }, () => level)

test('shot detection finds the first frame of each shot', async () => {
	expect(await cutsOf([...still(40), ...still(120), ...still(60)])).toEqual([10, 20])
})

test('shot detection finds no cut in a fade, however far it goes', async () => {
	expect(await cutsOf(Array.from({ length: 40 }, (_, at) => at * 6))).toEqual([])
	expect(
		await cutsOf([...still(0), ...Array.from({ length: 12 }, (_, at) => at * 20), ...still(240)]),
	).toEqual([])
})

test('shot detection counts a flash as one cut', async () => {
	expect(await cutsOf([...still(40), 255, ...still(40)])).toEqual([10])
})

test('shot detection finds no cut in a single frame or without any', async () => {
	expect(await cutsOf([])).toEqual([])
	expect(await findShotCuts(pictures([40]), FPS)).toEqual([])
})
