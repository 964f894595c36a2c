import { addExactly } from './exact.ts'
import { addAmounts, boundRecord, mergeRecords } from './records.ts'

/** Sessions that have a property in common. */
export type Part = { views: number; watchedMs: number }
type Parts = Record<string, Part>
type Amounts = Record<string, number>

/** Sums by the properties of sessions. Keys of referrer and error come from outside and can be any text. */
export type Breakdowns = {
	device: Parts
	browser: Parts
	/** `unknown` if there is no country. */
	country: Parts
	/** `direct` without a page around the player. */
	referrer: Parts
	player: Parts
	/** By the hour of the day (UTC) in which the session began, `00` to `23`. */
	hour: Parts
	/** Milliseconds shown, by quality (`720p`). */
	rendition: Amounts
	/** Milliseconds loaded from the network by all audiences, by quality. */
	delivered: Amounts
	/** The part of `delivered` that members and programs loaded. */
	deliveredToOthers: Amounts
	/** Failures, by the code of the error. */
	error: Amounts
}
type PartName = 'device' | 'browser' | 'country' | 'referrer' | 'player' | 'hour'
type AmountName = 'rendition' | 'delivered' | 'deliveredToOthers' | 'error'

const MAX_KEYS = 100

export const emptyBreakdowns = (): Breakdowns =>
	breakdownsOf(
		() => ({}),
		() => ({}),
	)

export const addBreakdowns = (a: Breakdowns, b: Breakdowns): Breakdowns =>
	breakdownsOf(
		(name) => mergeRecords(a[name], b[name], addParts),
		(name) => addAmounts(a[name], b[name]),
	)

/** Limits each breakdown to 100 keys, of which the last is `other`. */
export const boundBreakdowns = (breakdowns: Breakdowns): Breakdowns =>
	breakdownsOf(
		(name) => boundRecord(breakdowns[name], MAX_KEYS, addParts, compareParts),
		(name) => boundRecord(breakdowns[name], MAX_KEYS, addExactly, (a, b) => a - b),
	)

const breakdownsOf = (
	partsOf: (name: PartName) => Parts,
	amountsOf: (name: AmountName) => Amounts,
): Breakdowns => ({
	device: partsOf('device'),
	browser: partsOf('browser'),
	country: partsOf('country'),
	referrer: partsOf('referrer'),
	player: partsOf('player'),
	hour: partsOf('hour'),
	rendition: amountsOf('rendition'),
	delivered: amountsOf('delivered'),
	deliveredToOthers: amountsOf('deliveredToOthers'),
	error: amountsOf('error'),
})

const addParts = (a: Part, b: Part): Part => ({
	views: addExactly(a.views, b.views),
	watchedMs: addExactly(a.watchedMs, b.watchedMs),
})

const compareParts = (a: Part, b: Part): number => a.views - b.views || a.watchedMs - b.watchedMs
