import { z } from 'zod'
import { data, TaskId, Timestamp } from './fields.ts'
import { operation } from './operation.ts'
import { StoredObject, TaskResult, TaskSpec } from './tasks.ts'

const tag = 'Machines'

const TaskParams = z.object({ taskId: TaskId })

/** Raised at each claim: whoever shows an older one has lost the task to somebody else. */
const Epoch = z.int().positive()

/** Where the source of a task is read from. */
export const Source = z.object({
	/** Names this very version; a machine keeps what it downloaded under it, for the other tasks of the same video. */
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
	/** null for what is not made from the source: `fetch` and `download`. */
	source: Source.nullable(),
	/** So long it is held without a heartbeat. One each third of that: two may be lost. */
	leaseSeconds: z.number().positive().max(3_600),
	/** Work that is not done by then is given up, as no machine could do it. */
	deadlineSec: z.int().positive(),
})
export type LeasedTask = z.infer<typeof LeasedTask>

const kinds = TaskSpec.options.map(({ shape }) => shape.kind.value)

export const claimTask = operation({
	id: 'claimTask',
	method: 'post',
	path: '/v1/fleet/claim',
	tag,
	summary: 'Take the next task, for a minute that heartbeats renew',
	description:
		'`task` is null when there is nothing to do for this machine, and while it is paused. Tasks are taken in turn between organizations, and first those that make something playable.',
	auth: 'machine',
	body: z.object({
		kinds: z.array(z.enum(kinds)).min(1).max(kinds.length).optional().meta({
			description: 'Only of these kinds; all if left out',
		}),
		sources: z.array(Source.shape.id).max(32).default([]).meta({
			description: 'Sources that the machine has already: their tasks are preferred',
		}),
	}),
	status: 200,
	response: data(z.object({ task: LeasedTask.nullable() })),
	errors: ['unauthorized', 'not_configured'],
})

/** 409: the task is somebody else's now. 410: it is over, its video was deleted. Either way its work stops at once. */
const lost = ['unauthorized', 'not_found', 'conflict', 'gone'] as const

export const heartbeatTask = operation({
	id: 'heartbeatTask',
	method: 'post',
	path: '/v1/fleet/tasks/{taskId}/heartbeat',
	tag,
	summary: 'Keep a task, and tell how far it is',
	auth: 'machine',
	params: TaskParams,
	body: z.object({ epoch: Epoch, progress: z.number().min(0).max(1) }),
	status: 200,
	response: data(z.object({ leaseUntil: Timestamp })),
	errors: lost,
})

export const presignOutputs = operation({
	id: 'presignOutputs',
	method: 'post',
	path: '/v1/fleet/tasks/{taskId}/outputs',
	tag,
	summary: 'Addresses to PUT outputs of a task to',
	description: 'Valid for an hour. Which bucket an object goes to, and its media type, follow from its name.',
	auth: 'machine',
	params: TaskParams,
	body: z.object({ epoch: Epoch, names: z.array(StoredObject.shape.name).min(1).max(250) }),
	status: 200,
	response: data(
		z.object({ outputs: z.array(z.object({ url: z.url(), headers: z.record(z.string(), z.string()) })) }),
	),
	errors: lost,
})

/** Of outputs in parts. All but the last are this long, to the byte. */
export const OUTPUT_PART_BYTES = 32 * 1024 ** 2

export const presignParts = operation({
	id: 'presignParts',
	method: 'post',
	path: '/v1/fleet/tasks/{taskId}/parts',
	tag,
	summary: 'Addresses to PUT parts of the one large output of a task to',
	description: 'Of an imported source or a download. They are put together when the task is completed.',
	auth: 'machine',
	params: TaskParams,
	body: z.object({ epoch: Epoch, partNumbers: z.array(z.int().min(1).max(10_000)).min(1).max(100) }),
	status: 200,
	response: data(z.object({ urls: z.array(z.url()) })),
	errors: lost,
})

export const completeTask = operation({
	id: 'completeTask',
	method: 'post',
	path: '/v1/fleet/tasks/{taskId}/complete',
	tag,
	summary: 'Hand over what was made',
	description:
		'May be said again: the same epoch gets the same answer. 400 when what is stored is not what the result says; the task then is still held.',
	auth: 'machine',
	params: TaskParams,
	body: z.object({ epoch: Epoch, result: TaskResult }),
	status: 200,
	response: data(z.object({ accepted: z.literal(true) })),
	errors: ['validation', ...lost],
})

export const failTask = operation({
	id: 'failTask',
	method: 'post',
	path: '/v1/fleet/tasks/{taskId}/fail',
	tag,
	summary: 'Say that a task could not be done',
	description:
		'`permanent`: no machine could, the source is at fault; the asset ends in `error` with `message`. `transient`: worth another try, here or elsewhere.',
	auth: 'machine',
	params: TaskParams,
	body: z.object({
		epoch: Epoch,
		reason: z.enum(['permanent', 'transient']),
		message: z.string().trim().min(1).max(500).meta({ description: 'For the owner of the video' }),
		detail: z.string().max(4_000).optional().meta({ description: 'For the operator: ends of logs' }),
	}),
	status: 200,
	response: data(z.object({ accepted: z.literal(true) })),
	errors: lost,
})

export const releaseTask = operation({
	id: 'releaseTask',
	method: 'post',
	path: '/v1/fleet/tasks/{taskId}/release',
	tag,
	summary: 'Give a task back unfinished, because the machine stops; costs no attempt',
	auth: 'machine',
	params: TaskParams,
	body: z.object({ epoch: Epoch }),
	status: 200,
	response: data(z.object({ accepted: z.literal(true) })),
	errors: lost,
})
