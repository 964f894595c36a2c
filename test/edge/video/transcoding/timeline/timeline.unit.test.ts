import { describe, expect, test } from 'vitest'
import type { TimelineRows } from '../../../../../edge/video/transcoding/timeline/store.ts'
import { buildTimeline } from '../../../../../edge/video/transcoding/timeline/timeline.ts'
import { describeDuration } from '../../../../../edge/video/transcoding/timeline/words.ts'
import { expectWithinParents } from './within-parents.ts'

const START = Date.UTC(2026, 10, 26)
const at = (seconds: number) => START + seconds * 1_000

type Job = TimelineRows['jobs'][number]
type Group = TimelineRows['groups'][number]
type Task = TimelineRows['tasks'][number]

const anAsset = (more: Partial<TimelineRows['asset']> = {}): TimelineRows['asset'] => ({
	...{ status: 'queued', errorMessage: null, hasUrl: 0, sourceReceivedAt: at(30), createdAt: at(0) },
	...more,
})
const aJob = (more: Partial<Job> = {}): Job => ({
	...{ id: 'job_1', status: 'queued', error: null, traceId: null, createdAt: at(30), startedAt: null },
	...{ plannedAt: null, allPublishedAt: null, endedAt: null },
	...more,
})
const aGroup = (more: Partial<Group> = {}): Group => ({
	...{ jobId: 'job_1', kind: 'video', isForPlayback: 1, count: 4, done: 4, open: 0, running: 0, failed: 0 },
	...{ since: at(76), doneAt: at(196), endedAt: at(196), workSec: 400 },
	...more,
})
const aTask = (more: Partial<Task> = {}): Task => ({
	...{ id: 'tsk_1', jobId: 'job_1', kind: 'video', position: 2, isForPlayback: 1, state: 'done' },
	...{ createdAt: at(76), startedAt: at(76), endedAt: at(90) },
	...more,
})
const rowsOf = (more: Partial<TimelineRows> = {}): TimelineRows => ({
	...{ asset: anAsset(), jobs: [], groups: [], tasks: [], failures: [], aiSteps: [] },
	...more,
})
const completed: Partial<Job> = {
	...{ status: 'completed', startedAt: at(71), plannedAt: at(76), allPublishedAt: at(198), endedAt: at(240) },
}

const textsOf = (rows: Partial<TimelineRows>, seconds = 300) => {
	const { summary, spans } = buildTimeline(rowsOf(rows), at(seconds))
	return { summary, texts: spans.map(({ text }) => text), outcomes: spans.map(({ outcome }) => outcome) }
}

describe('the timeline of an asset', () => {
	test('the timeline of an asset without a source shows the wait for it', () => {
		expect(textsOf({ asset: anAsset({ status: 'created', sourceReceivedAt: null }) })).toEqual({
			summary: 'No source has arrived yet.',
			texts: ['Has waited 5 min for a source.'],
			outcomes: ['waiting'],
		})
	})

	test('the timeline of an unprocessed asset reports that processing has not been requested', () => {
		expect(textsOf({ asset: anAsset({ status: 'uploaded' }) })).toEqual({
			summary: 'The source is stored. Processing has not been requested.',
			texts: ['The source was stored 30 s after the asset was created.'],
			outcomes: ['done'],
		})
	})

	test('the timeline of a queued asset shows the wait for a machine', () => {
		expect(textsOf({ jobs: [aJob()] }, 71)).toMatchObject({
			summary: 'Processing was requested 41 s ago. Has waited 41 s for a machine.',
			outcomes: ['done', 'waiting', 'waiting'],
		})
	})

	test('the timeline during processing shows the ended phases and the current one', () => {
		const job = aJob({ status: 'processing', startedAt: at(71), plannedAt: at(76) })
		const groups = [aGroup({ done: 2, open: 2, running: 1, endedAt: at(150), workSec: 200 })]
		const { summary, texts } = textsOf({ asset: anAsset({ status: 'processing' }), jobs: [job], groups }, 196)
		expect(summary).toBe(
			'Processing has taken 2 min 46 s so far. Phases: 41 s waiting for a machine, 5 s reading and planning. Has been encoding for 2 min.',
		)
		expect(texts).toContain('Encoding of video: 2 of 4 tasks done, 2 min so far, 3 min 20 s of work.')
	})

	test('the timeline of a ready asset shows where the time went', () => {
		const rows = { asset: anAsset({ status: 'ready' }), jobs: [aJob(completed)], groups: [aGroup()] } as const
		const { summary, texts } = textsOf({ ...rows, jobs: [...rows.jobs], groups: [...rows.groups] })
		expect(summary).toBe(
			'Published completely 2 min 48 s after processing was requested: 41 s waiting for a machine, 5 s reading and planning, 2 min encoding, 2 s publishing.',
		)
		expect(texts).toEqual([
			'The source was stored 30 s after the asset was created.',
			'Processing took 3 min 30 s.',
			'Waited 41 s for a machine.',
			'Read the source and planned its encoding in 5 s.',
			'Encoded what playback needs in 2 min.',
			'Published the files in 2 s.',
			'Made downloads and further codecs in 42 s, while the video could be played.',
			'Encoding of video: 4 tasks, 2 min from the first start to the last end, 6 min 40 s of work.',
		])
	})

	test('the timeline of a ready asset reports downloads that are still being made', () => {
		const job = aJob({ ...completed, status: 'processing', endedAt: null })
		const { summary } = textsOf({ jobs: [job], groups: [aGroup()] }, 240)
		expect(summary).toMatch(/Plays already; has been making downloads and further codecs for 42 s\.$/)
	})

	test('the timeline of a failed asset shows the phase, and the message for its owner', () => {
		const job = aJob({ status: 'failed', error: 'The file is damaged.', startedAt: at(71), endedAt: at(74) })
		const { summary, texts } = textsOf({ asset: anAsset({ status: 'error' }), jobs: [job] })
		expect(summary).toBe(
			'Processing failed after 44 s: The file is damaged. Phases: 41 s waiting for a machine, 3 s reading and planning.',
		)
		expect(texts).toContain('Failed after 3 s of reading and planning.')
	})

	test('the timeline of an asset that found no machine shows how long it waited', () => {
		const job = aJob({ status: 'failed', error: 'No machine', endedAt: at(30 + 7 * 86_400) })
		expect(textsOf({ jobs: [job] }).texts).toContain('Failed after 7 d of waiting for a machine.')
	})

	test('the timeline of a cancelled asset ends there', () => {
		const job = aJob({ status: 'cancelled', startedAt: at(71), endedAt: at(74) })
		expect(textsOf({ jobs: [job] })).toMatchObject({
			summary:
				'Processing was cancelled after 44 s. Phases: 41 s waiting for a machine, 3 s reading and planning.',
			outcomes: ['done', 'cancelled', 'done', 'cancelled'],
		})
	})
})

test('the timeline of a repeated task shows its attempts, with the lost lease among them', () => {
	const failures: TimelineRows['failures'] = [
		{
			taskId: 'tsk_1',
			epoch: 2,
			jobId: 'job_1',
			kind: 'video',
			reason: 'transient',
			startedAt: at(80),
			endedAt: at(83),
		},
		{
			taskId: 'tsk_1',
			epoch: 1,
			jobId: 'job_1',
			kind: 'video',
			reason: 'expired',
			startedAt: null,
			endedAt: at(79),
		},
	]
	const { spans } = buildTimeline(
		rowsOf({ jobs: [aJob(completed)], groups: [aGroup()], tasks: [aTask()], failures }),
		at(300),
	)
	expect(spans.slice(-3).map(({ text, outcome, parentId }) => [text, outcome, parentId])).toEqual([
		['Encoding of video 3: done after 14 s, after 2 attempts that failed.', 'done', 'job_1.video'],
		['Encoding of video: A machine stopped responding, so the task went back to the queue.', 'lost', 'tsk_1'],
		['Encoding of video: An attempt failed after 3 s.', 'failed', 'tsk_1'],
	])
})

test.each([
	['queued', { startedAt: null, endedAt: null }, 'waiting', 'waiting for a machine for 20 s'],
	['running', { endedAt: null }, 'running', 'running for 20 s'],
	['failed', {}, 'failed', 'failed after 14 s'],
	['cancelled', {}, 'cancelled', 'cancelled after 14 s'],
] as const)('the timeline describes a task that is %s', (state, more, outcome, words) => {
	const rows = rowsOf({ jobs: [aJob()], groups: [aGroup()], tasks: [aTask({ ...more, state })] })
	expect(buildTimeline(rows, at(96)).spans.at(-1)).toMatchObject({
		outcome,
		text: `Encoding of video 3: ${words}.`,
	})
})

test.each([
	['pending', null, 'waiting', 'waiting for earlier steps for 1 min 40 s'],
	['processing', null, 'running', 'running for 1 min 40 s'],
	['completed', null, 'done', 'done after 40 s'],
	['failed', 'No provider answered.', 'failed', 'failed after 40 s: No provider answered'],
	['skipped', 'nobody speaks', 'skipped', 'skipped: nobody speaks'],
] as const)('the timeline describes an AI step that is %s', (status, reason, outcome, words) => {
	const step = { step: 'subtitles' as const, status, reason, startedAt: at(200), updatedAt: at(240) }
	expect(buildTimeline(rowsOf({ aiSteps: [step] }), at(300)).spans.at(-1)).toMatchObject({
		...{ id: 'ai.subtitles', outcome, text: `Subtitles: ${words}.` },
		endedAt: outcome === 'waiting' || outcome === 'running' ? null : at(240),
	})
})

const downloads = (more: Partial<Group> = {}) =>
	aGroup({
		...{ kind: 'download', isForPlayback: 0, count: 1, done: 1, since: at(198), endedAt: at(260) },
		...{ doneAt: at(260), workSec: null, ...more },
	})
const aDownload = (more: Partial<Task> = {}) =>
	aTask({
		...{ id: 'tsk_d', kind: 'download', position: 0, isForPlayback: 0, createdAt: at(198) },
		...{ startedAt: at(200), endedAt: at(260), ...more },
	})

describe('downloads that outlast their job', () => {
	const job = aJob({ ...completed, endedAt: at(198) })

	test('downloads that outlast their job are part of its processing, in a phase of their own', () => {
		const rows = { jobs: [job], groups: [aGroup(), downloads()], tasks: [aDownload()] }
		const { texts } = textsOf(rows)
		expect(texts).toContain('Processing took 3 min 50 s.')
		expect(texts).toContain(
			'Made downloads and further codecs in 1 min 2 s, while the video could be played.',
		)
		expect(texts).toContain('MP4 file: done after 1 min.')
	})

	test('unfinished downloads keep the processing span running', () => {
		const open = downloads({ done: 0, open: 1, running: 1, endedAt: null, doneAt: null })
		const rows = {
			jobs: [job],
			groups: [aGroup(), open],
			tasks: [aDownload({ state: 'running', endedAt: null })],
		}
		const { summary, texts } = textsOf(rows, 240)
		expect(summary).toMatch(/Plays already; has been making downloads and further codecs for 42 s\.$/)
		expect(texts).toContain('Processing has taken 3 min 30 s so far.')
	})
})

test('clips that are made days later have no parent span in the timeline', () => {
	const clips = aGroup({ kind: 'clip', isForPlayback: 0, since: at(90_000), endedAt: at(90_100) })
	const { spans } = buildTimeline(rowsOf({ jobs: [aJob(completed)], groups: [aGroup(), clips] }), at(90_200))
	expect(spans.at(-1)).toMatchObject({ kind: 'tasks', parentId: null })
	expect(spans.find(({ kind }) => kind === 'processing')?.text).toBe('Processing took 3 min 30 s.')
})

test('an import and a source of unknown time have no upload span', () => {
	expect(
		buildTimeline(rowsOf({ asset: anAsset({ hasUrl: 1, sourceReceivedAt: null }) }), at(9)).spans,
	).toEqual([])
	expect(buildTimeline(rowsOf({ asset: anAsset({ sourceReceivedAt: null }) }), at(9)).spans).toEqual([])
})

test('the timeline announces tasks that it does not show', () => {
	expect(buildTimeline(rowsOf({ groups: [aGroup({ count: 100 })] }), at(9)).isComplete).toBe(true)
	expect(buildTimeline(rowsOf({ groups: [aGroup({ count: 101 })] }), at(9)).isComplete).toBe(false)
})

test('every span of a timeline has a unique id, and lies within an existing parent', () => {
	const failures: TimelineRows['failures'] = (['tsk_1', 'tsk_2', 'tsk_unknown'] as const).map((taskId) => ({
		...{
			taskId,
			epoch: 1,
			jobId: 'job_1',
			kind: 'video',
			reason: 'expired',
			startedAt: null,
			endedAt: at(72),
		},
	}))
	const groups = [aGroup(), aGroup({ isForPlayback: 0 }), aGroup({ kind: 'audio' }), downloads()]
	const tasks = [aTask(), aTask({ id: 'tsk_2', isForPlayback: 0 }), aDownload()]
	const jobs = [aJob({ ...completed, endedAt: at(198) })]
	const { spans } = buildTimeline(rowsOf({ jobs, groups, tasks, failures }), at(300))
	expect(new Set(spans.map(({ id }) => id)).size).toBe(spans.length)
	expect(spans.filter(({ kind }) => kind === 'attempt')).toHaveLength(3)
	expectWithinParents(spans)
})

test.each([
	[400, 'less than a second'],
	[1_499, '1 s'],
	[59_400, '59 s'],
	[60_000, '1 min'],
	[200_000, '3 min 20 s'],
	[3_600_000, '1 h'],
	[3_900_000, '1 h 5 min'],
	[90_000_000, '1 d 1 h'],
])('the timeline formats %i ms as %s', (ms, words) => {
	expect(describeDuration(ms)).toBe(words)
})
