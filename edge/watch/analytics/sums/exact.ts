/** A power of two, so that multiples of it are added without a rounding error, in any order. */
const STEPS_PER_ONE = 2 ** 16

/**
 * Rounds a fraction such that sums of it are exact up to 2^37. Otherwise the sum of the same sessions would depend on
 * their order.
 */
export const roundForSums = (value: number): number => Math.round(value * STEPS_PER_ONE) / STEPS_PER_ONE

/** Adds two numbers of sums. At the limit, sums stop growing, because the order would matter above. */
export const addExactly = (a: number, b: number): number => Math.min(a + b, Number.MAX_SAFE_INTEGER)
