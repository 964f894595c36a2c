import type { LogEntry } from '../../../transcoder-daemon/log-format.ts'

/** Number of videos whose last state is remembered; older ones may print a state again. */
const FOLLOWED = 1_000
/** Progress is printed in steps of this size. */
const STEP_PERCENT = 10

const order = ['created', 'uploaded', 'queued', 'processing', 'playable', 'ready']
const isEnd = (state: string) => state === 'ready' || state === 'failed'

/**
 * Returns a filter that passes one entry per state change of a video. The Worker logs a state again when a message is
 * delivered twice, and a delayed event may arrive after a later state.
 */
export function followVideos(): (entry: LogEntry) => boolean {
	const seen = new Map<string, { state: string; percent: number }>()
	return ({ message, fields: { assetId, percent } }) => {
		const state = /^video (\w+)$/.exec(message)?.[1]
		if (!state || typeof assetId !== 'string') return true
		const previous = seen.get(assetId)
		const next = { state, percent: typeof percent === 'number' ? percent : 0 }
		if (previous && !isNewState(previous, next)) return false
		seen.delete(assetId)
		if (state !== 'deleted') seen.set(assetId, next)
		const [oldest] = seen.keys()
		if (seen.size > FOLLOWED && oldest !== undefined) seen.delete(oldest)
		return true
	}
}

type VideoState = { state: string; percent: number }

function isNewState(previous: VideoState, next: VideoState): boolean {
	if (next.state === 'deleted') return true
	// Only a new processing run counts after the end; other entries are late, or about downloads.
	if (isEnd(previous.state)) return next.state === 'queued'
	if (next.state === previous.state)
		return next.state === 'processing' && next.percent >= previous.percent + STEP_PERCENT
	return next.state === 'failed' || order.indexOf(next.state) > order.indexOf(previous.state)
}

/** Shortens an entry for people: adds the percentage to the message, and drops request and machine ids. */
export function shortenVideo(entry: LogEntry): LogEntry {
	if (!/^video \w+$/.test(entry.message)) return entry
	const { percent, title, assetId, reason } = entry.fields
	const message = percent === undefined ? entry.message : `${entry.message} ${percent} %`
	return { ...entry, message, fields: { title, assetId, reason } }
}
