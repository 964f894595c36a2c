import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { MediaInfo } from '#schema/contract/video/media-info.ts'
import type { AiOptions, PlaybackMode } from '#schema/contract/video/processing/process-options.ts'
import type { TaskKind, TaskResult, TaskSpec, VideoCodec } from '#schema/contract/video/tasks.ts'
import { createdAt, instant } from '../columns.ts'
import type { JobPlan, RequestedOptions } from './job-plan.ts'

/** One processing of an asset, from the request to its end. */
export const jobs = sqliteTable(
	'jobs',
	{
		id: text().primaryKey(),
		assetId: text().notNull(),
		orgId: text().notNull(),
		/** The playback id of the asset, under which the files are stored. */
		playbackId: text().notNull(),
		status: text({ enum: ['queued', 'processing', 'completed', 'failed', 'cancelled'] }).notNull(),
		playback: text({ enum: ['complete', 'early'] })
			.$type<PlaybackMode>()
			.notNull(),
		aiOptions: text({ mode: 'json' }).$type<AiOptions>().notNull(),
		requestedOptions: text({ mode: 'json' }).$type<RequestedOptions>().notNull(),
		info: text({ mode: 'json' }).$type<MediaInfo>(),
		plan: text({ mode: 'json' }).$type<JobPlan>(),
		/** The encoder of each encoded rung, for the whole job. */
		encoders: text({ mode: 'json' }).$type<Record<string, string>>(),
		durationSec: real(),
		/** Raised by each run of the advance step, so that a later run is known to have read newer data. */
		version: integer().notNull().default(0),
		/** The version of the run whose master playlist is published; 0 before the first one. */
		publishedVersion: integer().notNull().default(0),
		/** When all renditions that playback needs were published for the first time. */
		allPublishedAt: instant(),
		/** Since when an advance run is due; null if none is. */
		advanceAt: instant(),
		workerKind: text(),
		hwAccelUsed: integer({ mode: 'boolean' }).notNull().default(false),
		/** The reason for a failure, for the owner of the video. */
		error: text(),
		/** The trace that the processing belongs to: 32 hexadecimal digits. null for jobs of before this column existed. */
		traceId: text(),
		createdAt: createdAt(),
		startedAt: instant(),
		plannedAt: instant(),
		endedAt: instant(),
		updatedAt: instant().notNull(),
		/** Codecs that were planned but left out, each with the reason. */
		leftOut: text({ mode: 'json' }).$type<Partial<Record<VideoCodec, string>>>(),
	},
	(t) => [
		// Allows one unfinished job per asset.
		uniqueIndex('jobs_unfinished').on(t.assetId).where(sql`status in ('queued', 'processing')`),
		index('jobs_asset').on(t.assetId, t.createdAt, t.id),
		index('jobs_org').on(t.orgId, t.createdAt),
		index('jobs_advance').on(t.advanceAt).where(sql`advance_at is not null`),
		index('jobs_waiting').on(t.updatedAt).where(sql`status in ('queued', 'processing')`),
		index('jobs_ended').on(t.endedAt).where(sql`ended_at is not null`),
	],
)

/** The units that machines lease. */
export const tasks = sqliteTable(
	'tasks',
	{
		id: text().primaryKey(),
		jobId: text().notNull(),
		assetId: text().notNull(),
		orgId: text().notNull(),
		kind: text().$type<TaskKind>().notNull(),
		/** The position among the tasks of the same kind. */
		position: integer().notNull(),
		/** Tasks with a smaller rank are claimed first. */
		rank: integer().notNull(),
		/** JSON: the kind and the encoders that a machine must have proved. Few values per organization. */
		lane: text().notNull(),
		/** The version of the source that the task reads; null if it reads none. */
		sourceId: text(),
		state: text({ enum: ['queued', 'running', 'done', 'failed', 'cancelled'] }).notNull(),
		/** The fencing token. Each claim raises it, and each request of a machine about the task contains it. */
		epoch: integer().notNull().default(0),
		/** The number of claims, without those that a stopping machine returned. */
		attempts: integer().notNull().default(0),
		/** The number of expired leases. */
		expiries: integer().notNull().default(0),
		/** How often the completed task had to be repeated. */
		redone: integer().notNull().default(0),
		machineId: text(),
		/** When the task may be claimed: when its retry is due, or when its lease ends. */
		dueAt: instant().notNull(),
		/** When the machine that holds the lease must have completed the task. */
		deadlineAt: instant(),
		deadlineSec: integer().notNull(),
		spec: text({ mode: 'json' }).$type<TaskSpec>().notNull(),
		result: text({ mode: 'json' }).$type<TaskResult>(),
		progress: real().notNull().default(0),
		/** The share of the job, relative to its other tasks. */
		weight: real().notNull(),
		/** A started multipart output. */
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
		// A claim walks the lanes of organizations and reads the first task of each. No column here changes with a lease.
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

/** Failed attempts, retried or not, for operators of the fleet. */
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
		/** The ends of logs, as the machine sent them. */
		log: text(),
		/** When the attempt began; null if a later claim has replaced the time. */
		startedAt: instant(),
		createdAt: createdAt(),
	},
	(t) => [
		primaryKey({ columns: [t.taskId, t.epoch] }),
		index('task_failures_created').on(t.createdAt, t.machineId),
		index('task_failures_asset').on(t.assetId),
	],
)

/** The renditions of a ready asset. */
export const renditions = sqliteTable(
	'renditions',
	{
		assetId: text().notNull(),
		rungId: text().notNull(),
		jobId: text().notNull(),
		/** Best quality first. */
		position: integer().notNull(),
		quality: text().notNull(),
		width: integer().notNull(),
		height: integer().notNull(),
		bitrateKbps: integer().notNull(),
		codec: text().notNull(),
		/** A plain MP4 in the vault, created after the asset is ready. */
		downloadKey: text(),
		downloadBytes: integer({ mode: 'number' }),
	},
	(t) => [primaryKey({ columns: [t.assetId, t.rungId] })],
)
