import { z } from 'zod'
import { data, TaskId, Timestamp } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'
import { StoredObject, TaskResult, TaskSpec } from './tasks.ts'

const operation = describeOperations('Machines')

const TaskParams = z.object({ taskId: TaskId })

/** The fencing number of a task. Each claim raises it, so a machine with an older one has lost the task. */
const Epoch = z.int().positive()

/** The source file that a task reads. */
export const Source = z.object({
	/** Identifies this version of the file. Machines cache their download under it for other tasks of the same video. */
	id: z.string().regex(/^[0-9A-Za-z_-]{1,100}$/),
	url: z.url(),
	sizeBytes: z.int().positive(),
	etag: z.string().max(200),
})
export type Source = z.infer<typeof Source>

export const LeasedTask = z.object({
	id: TaskId,
	epoch: Epoch,
	spec: TaskSpec,
	/** null for `fetch` and `download` tasks, which don't read the source. */
	source: Source.nullable(),
	/** How long the lease lasts without a heartbeat. Machines send one in each third of this time, so that two may be lost. */
	leaseSeconds: z.number().positive().max(3_600),
	/** The time limit of the task. A task that exceeds it would not finish on another machine either. */
	deadlineSec: z.int().positive(),
	/** The trace of the processing, in the form of W3C Trace Context. Machines send it with their requests for the task. */
	traceparent: z
		.string()
		.regex(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/)
		.nullable()
		.optional(),
})
export type LeasedTask = z.infer<typeof LeasedTask>

const kinds = TaskSpec.options.map(({ shape }) => shape.kind.value)

export const claimTask = operation({
	id: 'claimTask',
	method: 'post',
	path: '/v1/fleet/claim',
	summary: 'Claim the next task',
	description:
		'The machine leases the task for `leaseSeconds`; heartbeats renew the lease. `task` is null if there is no task for this machine or the machine is paused. Organizations take turns, and tasks that make an asset playable come first.',
	auth: 'machine',
	audit: 'none: work',
	body: z.object({
		kinds: z.array(z.enum(kinds)).min(1).max(kinds.length).optional().meta({
			description: 'Only tasks of these kinds; the default is all',
		}),
		sources: z.array(Source.shape.id).max(32).default([]).meta({
			description: 'Sources in the cache of the machine, whose tasks are preferred',
		}),
	}),
	response: data(z.object({ task: LeasedTask.nullable() })),
	errors: ['unauthorized', 'not_configured'],
})

/** 409: another machine has the task. 410: the task ended or its video was deleted. The machine must stop in both cases. */
const leaseErrors = ['unauthorized', 'not_found', 'conflict', 'gone'] as const

export const heartbeatTask = operation({
	id: 'heartbeatTask',
	method: 'post',
	path: '/v1/fleet/tasks/{taskId}/heartbeat',
	summary: 'Renew the lease of a task and report progress',
	auth: 'machine',
	audit: 'none: work',
	params: TaskParams,
	body: z.object({ epoch: Epoch, progress: z.number().min(0).max(1) }),
	response: data(z.object({ leaseUntil: Timestamp })),
	errors: leaseErrors,
})

export const presignOutputs = operation({
	id: 'presignOutputs',
	method: 'post',
	path: '/v1/fleet/tasks/{taskId}/outputs',
	summary: 'Get presigned URLs to PUT outputs of a task to',
	description: 'The URLs are valid for an hour. The name of an output decides its bucket and media type.',
	auth: 'machine',
	audit: 'none: work',
	params: TaskParams,
	body: z.object({ epoch: Epoch, names: z.array(StoredObject.shape.name).min(1).max(250) }),
	response: data(
		z.object({ outputs: z.array(z.object({ url: z.url(), headers: z.record(z.string(), z.string()) })) }),
	),
	errors: leaseErrors,
})

/** The exact size of every part of a multipart output, except the last. */
export const OUTPUT_PART_BYTES = 32 * 1024 ** 2

export const presignParts = operation({
	id: 'presignParts',
	method: 'post',
	path: '/v1/fleet/tasks/{taskId}/parts',
	summary: 'Get presigned URLs to PUT parts of a large output to',
	description: 'Used for an imported source or a download. Completing the task joins the parts.',
	auth: 'machine',
	audit: 'none: work',
	params: TaskParams,
	body: z.object({ epoch: Epoch, partNumbers: z.array(z.int().min(1).max(10_000)).min(1).max(100) }),
	response: data(z.object({ urls: z.array(z.url()) })),
	errors: leaseErrors,
})

export const completeTask = operation({
	id: 'completeTask',
	method: 'post',
	path: '/v1/fleet/tasks/{taskId}/complete',
	summary: 'Complete a task',
	description:
		"Safe to retry: the same epoch gets the same response. Returns 400 if the stored objects don't match the result; the machine then still has the task.",
	auth: 'machine',
	audit: 'none: work',
	params: TaskParams,
	body: z.object({ epoch: Epoch, result: TaskResult }),
	response: data(z.object({ accepted: z.literal(true) })),
	errors: ['validation', ...leaseErrors],
})

export const failTask = operation({
	id: 'failTask',
	method: 'post',
	path: '/v1/fleet/tasks/{taskId}/fail',
	summary: 'Report that a task failed',
	description:
		'`permanent` means that the source is at fault and no machine can do the task; the asset gets the status `error` with `message`. `transient` means that another attempt may succeed, on this or another machine.',
	auth: 'machine',
	audit: 'none: work',
	params: TaskParams,
	body: z.object({
		epoch: Epoch,
		reason: z.enum(['permanent', 'transient']),
		message: z.string().trim().min(1).max(500).meta({ description: 'A message for the owner of the video' }),
		detail: z.string().max(4_000).optional().meta({ description: 'The end of the logs, for the operator' }),
	}),
	response: data(z.object({ accepted: z.literal(true) })),
	errors: leaseErrors,
})

export const releaseTask = operation({
	id: 'releaseTask',
	method: 'post',
	path: '/v1/fleet/tasks/{taskId}/release',
	summary: 'Return an unfinished task to the queue',
	description:
		'Machines call this when they shut down or run out of memory. The return does not count as an attempt.',
	auth: 'machine',
	audit: 'none: work',
	params: TaskParams,
	body: z.object({ epoch: Epoch }),
	response: data(z.object({ accepted: z.literal(true) })),
	errors: leaseErrors,
})
