import { InvalidArgumentError } from 'commander'

/** Collects the values of an option that can be repeated. */
export const collect = (value: string, earlier: readonly string[] = []): string[] => [...earlier, value]

export function parseCount(value: string): number {
	if (/^\d{1,9}$/.test(value) && Number(value) > 0) return Number(value)
	throw new InvalidArgumentError('use a whole number of at least 1')
}
