import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { MediaInfo } from '#schema/contract/video/media-info.ts'
import type { TaskKind, TaskResult, TaskSpec, VideoCodec } from '#schema/contract/video/tasks.ts'
import type { AiOptions, PlaybackMode } from '#schema/contract/video/transcoding.ts'
import { createdAt, instant } from './columns.ts'
import type { JobPlan, RequestedOptions } from './job-plan.ts'

/** One processing of an asset, from the request to its end. */
export const jobs = sqliteTable(
	'jobs',
	{
		id: text().primaryKey(),
		assetId: text().notNull(),
		orgId: text().notNull(),
		/** Of the asset: what is made lies under it. */
		playbackId: text().notNull(),
		status: text({ enum: ['queued', 'processing', 'completed', 'failed', 'cancelled'] }).notNull(),
		playback: text({ enum: ['complete', 'early'] })
			.$type<PlaybackMode>()
			.notNull(),
		aiOptions: text({ mode: 'json' }).$type<AiOptions>().notNull(),
		requestedOptions: text({ mode: 'json' }).$type<RequestedOptions>().notNull(),
		info: text({ mode: 'json' }).$type<MediaInfo>(),
		plan: text({ mode: 'json' }).$type<JobPlan>(),
		/** Encoder of each rung that is encoded, for the whole job. */
		encoders: text({ mode: 'json' }).$type<Record<string, string>>(),
		durationSec: real(),
		/** Raised by each run that looks for what is next, so that a later run is known to know more. */
		version: integer().notNull().default(0),
		/** The run whose master playlist is the one that is played; 0 before there is one. */
		publishedVersion: integer().notNull().default(0),
		/** Since when somebody should look for what is next; null when somebody did. */
		advanceAt: instant(),
		workerKind: text(),
		hwAccelUsed: integer({ mode: 'boolean' }).notNull().default(false),
		/** Why it failed, for the owner of the video. */
		error: text(),
		createdAt: createdAt(),
		startedAt: instant(),
		plannedAt: instant(),
		endedAt: instant(),
		updatedAt: instant().notNull(),
		/** Codecs that were planned and are not made after all, each with the reason. */
		leftOut: text({ mode: 'json' }).$type<Partial<Record<VideoCodec, string>>>(),
	},
	(t) => [
		// Never two at once for one asset, whoever asks.
		uniqueIndex('jobs_unfinished').on(t.assetId).where(sql`status in ('queued', 'processing')`),
		index('jobs_asset').on(t.assetId, t.createdAt, t.id),
		index('jobs_org').on(t.orgId, t.createdAt),
		index('jobs_advance').on(t.advanceAt).where(sql`advance_at is not null`),
		index('jobs_waiting').on(t.updatedAt).where(sql`status in ('queued', 'processing')`),
		index('jobs_ended').on(t.endedAt).where(sql`ended_at is not null`),
	],
)

/** The unit that is leased to a machine. */
export const tasks = sqliteTable(
	'tasks',
	{
		id: text().primaryKey(),
		jobId: text().notNull(),
		assetId: text().notNull(),
		orgId: text().notNull(),
		kind: text().$type<TaskKind>().notNull(),
		/** Among those of its kind. */
		position: integer().notNull(),
		/** The smaller is taken first. */
		rank: integer().notNull(),
		/** JSON: its kind and the encoders a machine must have proved. Few values for each organization. */
		lane: text().notNull(),
		/** The version of the source it reads; null for what is not made from one. */
		sourceId: text(),
		state: text({ enum: ['queued', 'running', 'done', 'failed', 'cancelled'] }).notNull(),
		/** Fencing token: raised by each claim, and shown with everything a machine says about the task. */
		epoch: integer().notNull().default(0),
		/** Claims that count: those given back because a machine stopped do not. */
		attempts: integer().notNull().default(0),
		/** Leases that ran out. */
		expiries: integer().notNull().default(0),
		/** How often it was done and had to be done again. */
		redone: integer().notNull().default(0),
		machineId: text(),
		/** From when on it may be taken: when a retry is due, or when the lease of who has it ends. */
		dueAt: instant().notNull(),
		/** When whoever has it now must be done. */
		deadlineAt: instant(),
		deadlineSec: integer().notNull(),
		spec: text({ mode: 'json' }).$type<TaskSpec>().notNull(),
		result: text({ mode: 'json' }).$type<TaskResult>(),
		progress: real().notNull().default(0),
		/** How much of the job it is, compared to its other tasks. */
		weight: real().notNull(),
		/** An output in parts that was begun. */
		uploadKey: text(),
		uploadId: text(),
		workSec: real(),
		mediaSec: real(),
		createdAt: createdAt(),
		startedAt: instant(),
		endedAt: instant(),
	},
	(t) => [
		uniqueIndex('tasks_job').on(t.jobId, t.kind, t.position),
		// What a claim walks: the lanes of organizations, and the beginning of each. Nothing here changes with a lease.
		index('tasks_lane')
			.on(t.orgId, t.lane, t.rank, t.createdAt, t.id)
			.where(sql`state in ('queued', 'running')`),
		index('tasks_source')
			.on(t.sourceId, t.rank, t.createdAt, t.id)
			.where(sql`state in ('queued', 'running')`),
		index('tasks_running').on(t.orgId).where(sql`state = 'running'`),
		index('tasks_machine').on(t.machineId).where(sql`state = 'running'`),
		index('tasks_lease').on(t.dueAt).where(sql`state = 'running'`),
		index('tasks_asset').on(t.assetId),
		index('tasks_done').on(t.endedAt, t.machineId).where(sql`state = 'done'`),
	],
)

/** What went wrong and was tried again, or not: for the people who run the fleet. */
export const taskFailures = sqliteTable(
	'task_failures',
	{
		taskId: text().notNull(),
		epoch: integer().notNull(),
		jobId: text().notNull(),
		assetId: text().notNull(),
		orgId: text().notNull(),
		machineId: text(),
		kind: text().$type<TaskKind>().notNull(),
		reason: text({ enum: ['permanent', 'transient', 'expired'] }).notNull(),
		message: text().notNull(),
		/** Ends of logs, as a machine sent them. */
		log: text(),
		createdAt: createdAt(),
	},
	(t) => [
		primaryKey({ columns: [t.taskId, t.epoch] }),
		index('task_failures_created').on(t.createdAt, t.machineId),
		index('task_failures_asset').on(t.assetId),
	],
)

/** What an asset can be played in, once it is ready. */
export const renditions = sqliteTable(
	'renditions',
	{
		assetId: text().notNull(),
		rungId: text().notNull(),
		jobId: text().notNull(),
		/** From the best to the least. */
		position: integer().notNull(),
		quality: text().notNull(),
		width: integer().notNull(),
		height: integer().notNull(),
		bitrateKbps: integer().notNull(),
		codec: text().notNull(),
		/** A plain MP4 in the vault, made after the asset is ready. */
		downloadKey: text(),
		downloadBytes: integer({ mode: 'number' }),
	},
	(t) => [primaryKey({ columns: [t.assetId, t.rungId] })],
)
