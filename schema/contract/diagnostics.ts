import { z } from 'zod'
import { AssetId, data, JobId, MachineId, TaskId, Timestamp } from './fields.ts'
import { MachineCapabilities } from './fleet.ts'
import { operation } from './operation.ts'
import { PageQuery } from './page.ts'
import { FleetStats } from './stats.ts'

const tag = 'Diagnostics'

const Check = z.object({ ok: z.boolean(), ms: z.int().nonnegative() })

const Diagnostics = z
	.object({
		ok: z.boolean().meta({ description: 'Database, storage and queue all are as they should be' }),
		database: Check.extend({ driver: z.enum(['d1', 'libsql']) }),
		storage: z.object({ vault: Check, media: Check }),
		queue: z
			.object({
				ok: z.boolean().meta({ description: 'No event waits for longer than five minutes' }),
				deadLetters: z
					.int()
					.meta({ description: 'Messages that failed for good and wait for someone to look' }),
				waiting: z.int().meta({ description: 'Events not yet handled' }),
				oldestWaitingAt: Timestamp.nullable(),
			})
			.nullable()
			.meta({ description: 'null while the database does not answer' }),
		transcoding: FleetStats.nullable().meta({ description: 'null while the database does not answer' }),
		mail: z.object({ kind: z.enum(['console', 'smtp', 'http', 'binding']) }),
		machines: z
			.object({
				online: z.int(),
				draining: z.int(),
				outdated: z.int().meta({ description: 'Registered with a FLEET_TOKEN of before' }),
				total: z.int(),
			})
			.nullable(),
	})
	.meta({ id: 'Diagnostics' })

export const getDiagnostics = operation({
	id: 'getDiagnostics',
	method: 'get',
	path: '/v1/diagnostics',
	tag,
	summary: 'Status of database, storage, queue, mail and machines',
	description: 'Answers 200 even where a part is down, and says which.',
	auth: 'superadmin',
	status: 200,
	response: data(Diagnostics),
})

export const Machine = z
	.object({
		id: MachineId,
		name: z.string(),
		state: z
			.enum(['online', 'draining', 'offline'])
			.meta({ description: 'offline as well when nothing was heard of it for 90 seconds' }),
		connected: z.boolean().nullable().meta({
			description: 'Whether it holds its socket; without one it polls. null when that could not be found out',
		}),
		capabilities: MachineCapabilities,
		paused: z.boolean().meta({ description: 'Takes no new tasks until it is started' }),
		evicted: z.boolean().meta({ description: 'May neither work nor register until it is readmitted' }),
		outdated: z.boolean().meta({
			description:
				'Registered with a FLEET_TOKEN of before; it may still work. `sign-off-outdated` ends that',
		}),
		running: z.int(),
		hasStartHook: z.boolean(),
		runningTasks: z.array(
			z.object({
				id: TaskId,
				kind: z.string(),
				jobId: JobId,
				assetId: AssetId,
				progress: z.number().min(0).max(1),
				startedAt: Timestamp,
			}),
		),
		done24h: z.int().nonnegative(),
		failures24h: z.int().nonnegative(),
		lastFailures: z
			.array(
				z.object({
					taskId: TaskId,
					assetId: AssetId,
					kind: z.string(),
					reason: z.enum(['permanent', 'transient', 'expired']),
					message: z.string(),
					at: Timestamp,
				}),
			)
			.max(5)
			.meta({ description: 'Of the last 24 hours, the newest first' }),
		speed: z.number().nonnegative().nullable().meta({
			description: 'Seconds of video gone through in a second of work, over 24 hours; null if it did nothing',
		}),
		load: z.number().nullable(),
		registeredAt: Timestamp,
		lastSeenAt: Timestamp,
	})
	.meta({ id: 'Machine' })
export type Machine = z.infer<typeof Machine>

export const listMachines = operation({
	id: 'listMachines',
	method: 'get',
	path: '/v1/diagnostics/workers',
	tag,
	summary: 'Transcoding machines, newest first',
	auth: 'superadmin',
	query: PageQuery,
	paged: true,
	status: 200,
	response: data(z.array(Machine)),
})

const MachineParams = z.object({ machineId: MachineId })

export const pauseMachine = operation({
	id: 'pauseMachine',
	method: 'post',
	path: '/v1/diagnostics/workers/{machineId}/pause',
	tag,
	summary: 'Let a machine take no new tasks until it is started',
	description: 'Those it is at it finishes. Restarts of the machine change nothing about it.',
	auth: 'superadmin',
	params: MachineParams,
	status: 200,
	response: data(z.object({ id: MachineId, paused: z.literal(true) })),
	errors: ['not_found'],
})

export const startMachine = operation({
	id: 'startMachine',
	method: 'post',
	path: '/v1/diagnostics/workers/{machineId}/start',
	tag,
	summary: 'Make a machine look for work now',
	description:
		'Ends its pause, if it is paused. Wakes it through its socket, and it looks for work at once; without a socket, one that was paused comes at its next poll. If it is off and registered a start hook, that is called. 409 when nothing can be done; the message says what can.',
	auth: 'superadmin',
	params: MachineParams,
	status: 200,
	response: data(
		z.object({
			id: MachineId,
			woken: z.literal(true),
			by: z.enum(['socket', 'hook', 'poll']),
			resumed: z.boolean().meta({ description: 'It was paused until now' }),
		}),
	),
	errors: ['not_found', 'conflict', 'not_configured'],
})

const tasksReturned = z.int().nonnegative().meta({ description: 'Tasks it was at, which others take now' })

export const evictMachine = operation({
	id: 'evictMachine',
	method: 'post',
	path: '/v1/diagnostics/workers/{machineId}/evict',
	tag,
	summary: 'Evict a machine',
	description:
		'Its token and its leases end, its socket is closed, and its tasks return to the queue without costing them an attempt. What it says later is refused, and so is its registration until it is readmitted. It is known by its fingerprint: where a stranger has the registration token, change `FLEET_TOKEN` as well and use `sign-off-outdated`. Addresses of storage that it was given work until they expire, but nothing reads what it stores there.',
	auth: 'superadmin',
	params: MachineParams,
	status: 200,
	response: data(z.object({ id: MachineId, evicted: z.literal(true), tasksReturned })),
	errors: ['not_found'],
})

export const readmitMachine = operation({
	id: 'readmitMachine',
	method: 'post',
	path: '/v1/diagnostics/workers/{machineId}/readmit',
	tag,
	summary: 'Let an evicted machine register again',
	description: 'It comes by itself within a minute if its daemon still runs. Its old tokens stay revoked.',
	auth: 'superadmin',
	params: MachineParams,
	status: 200,
	response: data(z.object({ id: MachineId, evicted: z.literal(false) })),
	errors: ['not_found'],
})

export const signOffOutdatedMachines = operation({
	id: 'signOffOutdatedMachines',
	method: 'post',
	path: '/v1/diagnostics/workers/sign-off-outdated',
	tag,
	summary: 'Sign off machines that registered with an older FLEET_TOKEN',
	description:
		'Tokens, leases and sockets end as with an eviction. Machines that have the new token register again by themselves and go on; the others stay out.',
	auth: 'superadmin',
	status: 200,
	response: data(z.object({ machines: z.int().nonnegative(), tasksReturned })),
})
