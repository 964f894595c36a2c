import { SPEED_LIMITS } from '#schema/contract/watch/player-page.ts'

/** The speeds that viewers choose from. */
export const SPEEDS = [SPEED_LIMITS.min, 0.5, 0.75, 1, 1.25, 1.5, 1.75, SPEED_LIMITS.max]

/** Returns the next speed of the list, faster or slower. */
export const chooseNextSpeed = (speed: number, direction: 1 | -1): number =>
	(direction > 0 ? SPEEDS.find((value) => value > speed) : SPEEDS.findLast((value) => value < speed)) ?? speed
