import type { SpanKind, SpanOutcome } from '#schema/contract/video/processing/timeline.ts'
import type { Span } from './span.ts'
import type { TimelineRows } from './store.ts'
import { describeDuration, toSentence } from './words.ts'

type Job = TimelineRows['jobs'][number]
type Group = TimelineRows['groups'][number]
type PhaseKind = Extract<SpanKind, 'wait' | 'prepare' | 'encode' | 'publish' | 'extras'>

const phaseKinds: readonly PhaseKind[] = ['wait', 'prepare', 'encode', 'publish', 'extras']

/** The wording of each phase: in a list, while it lasts, and as a sentence. */
const phaseWords: Record<PhaseKind, { listed: string; lasting: string; whole: string }> = {
	wait: {
		listed: 'waiting for a machine',
		lasting: 'Has waited {} for a machine',
		whole: 'Waited {} for a machine',
	},
	prepare: {
		listed: 'reading and planning',
		lasting: 'Has been reading and planning for {}',
		whole: 'Read the source and planned its encoding in {}',
	},
	encode: {
		listed: 'encoding',
		lasting: 'Has been encoding for {}',
		whole: 'Encoded what playback needs in {}',
	},
	publish: {
		listed: 'publishing',
		lasting: 'Has been publishing for {}',
		whole: 'Published the files in {}',
	},
	extras: {
		listed: 'making downloads and further codecs',
		lasting: 'Plays already; has been making downloads and further codecs for {}',
		whole: 'Made downloads and further codecs in {}, while the video could be played',
	},
}

type Phase = Span & { kind: PhaseKind }

/** Divides processing into consecutive phases. Only the last one may be open. */
export function divideIntoPhases(job: Job, groups: readonly Group[], now: number): Phase[] {
	const starts = [job.createdAt, job.startedAt, job.plannedAt, encodedAt(job, groups), job.allPublishedAt]
	const reached = starts.indexOf(null)
	const known = starts.slice(0, reached === -1 ? undefined : reached) as number[]
	return known.flatMap((startedAt, i) => {
		const kind = phaseKinds[i]
		if (!kind) return []
		const isLast = i === known.length - 1
		const endedAt = isLast ? job.endedAt : (known[i + 1] ?? null)
		// A video without downloads ends when it is published.
		if (kind === 'extras' && endedAt === startedAt) return []
		return [
			phaseOf(job, kind, { startedAt, endedAt, outcome: isLast ? lastOutcome(job, kind) : 'done' }, now),
		]
	})
}

/** Returns when the last task for playback was done; null before that. */
function encodedAt({ id, allPublishedAt, plannedAt }: Job, groups: readonly Group[]): number | null {
	const own = groups.filter(({ jobId, isForPlayback }) => jobId === id && isForPlayback)
	if (allPublishedAt === null && own.some(({ open, failed }) => open > 0 || failed > 0)) return null
	const doneAt = Math.max(plannedAt ?? 0, ...own.map((group) => group.doneAt ?? 0))
	return own.length === 0 ? allPublishedAt : Math.min(doneAt, allPublishedAt ?? doneAt)
}

function lastOutcome({ status, endedAt }: Job, kind: PhaseKind): SpanOutcome {
	if (endedAt === null) return kind === 'wait' ? 'waiting' : 'running'
	if (status === 'completed') return 'done'
	return status === 'cancelled' ? 'cancelled' : 'failed'
}

function phaseOf(
	job: Job,
	kind: PhaseKind,
	times: Pick<Span, 'startedAt' | 'endedAt' | 'outcome'>,
	now: number,
): Phase {
	const { whole, lasting } = phaseWords[kind]
	const duration = describeDuration((times.endedAt ?? now) - (times.startedAt ?? now))
	const base = (times.endedAt === null ? lasting : whole).replace('{}', duration)
	const listed = phaseWords[kind].listed
	const text = {
		failed: `Failed after ${duration} of ${listed}`,
		cancelled: `Cancelled after ${duration} of ${listed}`,
	}
	const { outcome } = times
	return {
		...times,
		id: `${job.id}.${kind}`,
		parentId: job.id,
		kind,
		text: toSentence(outcome === 'failed' || outcome === 'cancelled' ? text[outcome] : base),
	}
}

/** Returns the ended phases as a list, such as `41 s waiting for a machine, 5 s reading and planning`. */
export const listPhases = (phases: readonly Phase[]): string =>
	phases
		.filter(({ kind, endedAt }) => endedAt !== null && kind !== 'extras')
		.map(
			({ kind, startedAt, endedAt }) =>
				`${describeDuration((endedAt ?? 0) - (startedAt ?? 0))} ${phaseWords[kind].listed}`,
		)
		.join(', ')
