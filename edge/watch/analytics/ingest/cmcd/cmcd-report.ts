import { MAX_COUNT, MAX_MS } from '#schema/contract/watch/analytics/playback-state.ts'
import { MAX_KBPS } from '../../sessions/limit-state.ts'
import type { ActivityReport } from '../../sessions/timed-event.ts'
import type { CmcdValues } from './values.ts'

const MAX_RATE = 16
const MAX_ERROR_LENGTH = 64

/** Events that later ones don't repeat: a change of the player state, and an error. */
const CHANGES: readonly unknown[] = ['ps', 'e']

/** The values of `sta`. */
const activities = new Map<string, NonNullable<ActivityReport['activity']>>([
	['d', 'preparing'],
	['s', 'starting'],
	['p', 'playing'],
	['k', 'seeking'],
	['r', 'stalled'],
	['a', 'paused'],
	['w', 'paused'],
	['e', 'ended'],
	['q', 'ended'],
	['f', 'failed'],
])

/** Converts the keys of an event to a report about the session. Unknown and invalid keys are ignored. */
export function toPlaybackReport(values: CmcdValues, at: number): ActivityReport {
	const activity = activities.get(values.text('sta') ?? '')
	return {
		kind: 'activity',
		at,
		number: wholeUpTo(Number.MAX_SAFE_INTEGER, values.number('sn')),
		isChange: CHANGES.includes(values.text('e')),
		activity,
		positionMs: wholeUpTo(MAX_MS, values.number('pt')),
		rate: upTo(MAX_RATE, values.number('pr')) ?? 1,
		bitrateKbps: bitrateOf(values),
		// Players also report errors from which they recover.
		error: activity === 'failed' ? errorCodeOf(values.texts('ec')[0]) : undefined,
		isStarved: values.isTrue('bs'),
		startupMs: wholeUpTo(MAX_MS, values.number('msd')),
		stalls: wholeUpTo(MAX_COUNT, greatest(values.numbers('bsa'))),
		stalledMs: wholeUpTo(MAX_MS, greatest(values.numbers('bsda'))),
		droppedFrames: wholeUpTo(MAX_COUNT, values.number('dfa')),
	}
}

/** The bitrate of what is shown, or else of what is loaded: all types of objects together. */
function bitrateOf(values: CmcdValues): number | undefined {
	const shown = values.numbers('pb')
	const kbps = shown.length > 0 ? shown : values.numbers('br')
	if (kbps.length === 0) return undefined
	return upTo(
		MAX_KBPS,
		kbps.reduce((sum, each) => sum + each, 0),
	)
}

const greatest = (numbers: readonly number[]): number | undefined =>
	numbers.length === 0 ? undefined : Math.max(...numbers)

const upTo = (max: number, value: number | undefined): number | undefined =>
	value !== undefined && value <= max ? value : undefined

const wholeUpTo = (max: number, value: number | undefined): number | undefined => {
	const known = upTo(max, value)
	return known === undefined ? undefined : Math.round(known)
}

function errorCodeOf(text: string | undefined): string | undefined {
	const code = text?.replaceAll(/[^\w.-]/g, '_').slice(0, MAX_ERROR_LENGTH)
	return code === '' ? undefined : code
}
