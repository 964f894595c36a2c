import { z } from 'zod'
import { AssetId, data, JobId, MachineId, TaskId, Timestamp } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'
import { dataPage, PageQuery } from '../kit/page.ts'
import { MachineCapabilities } from '../video/fleet.ts'
import { SupportBundle } from './installation/support-bundle.ts'
import { RepairStep } from './rewind/repair-steps.ts'
import { FleetStats } from './stats.ts'

const operation = describeOperations('Diagnostics')

const Check = z.object({ ok: z.boolean(), ms: z.int().nonnegative() })

const Diagnostics = z
	.object({
		ok: z.boolean().meta({ description: 'Whether database, storage and queue all work' }),
		database: Check.extend({ driver: z.enum(['d1', 'libsql']) }),
		storage: z.object({ vault: Check, media: Check }),
		queue: z
			.object({
				ok: z.boolean().meta({ description: 'Whether no event has waited longer than five minutes' }),
				deadLetters: z.int().meta({ description: 'Messages that failed for good and need attention' }),
				waiting: z.int().meta({ description: 'Events that are not handled yet' }),
				oldestWaitingAt: Timestamp.nullable(),
			})
			.nullable()
			.meta({ description: 'null while the database does not respond' }),
		transcoding: FleetStats.nullable().meta({ description: 'null while the database does not respond' }),
		mail: z.object({ kind: z.enum(['console', 'smtp', 'http', 'binding']) }),
		bundle: SupportBundle.optional(),
		machines: z
			.object({
				online: z.int(),
				draining: z.int(),
				outdated: z.int().meta({ description: 'Machines that registered with an earlier `FLEET_TOKEN`' }),
				total: z.int(),
			})
			.nullable(),
		lastRepair: z
			.object({
				startedAt: Timestamp,
				step: RepairStep.nullable().meta({ description: 'What is done now; null at the end' }),
				changed: z
					.partialRecord(RepairStep, z.int())
					.meta({ description: 'How many rows or objects each step has changed' }),
				openedAt: Timestamp.nullable().meta({ description: 'When requests were served again' }),
				endedAt: Timestamp.nullable(),
			})
			.nullable()
			.meta({
				description:
					'The last repair after the database was restored; null if it never was, or while it does not respond',
			}),
	})
	.meta({ id: 'Diagnostics' })

export const getDiagnostics = operation({
	id: 'getDiagnostics',
	method: 'get',
	path: '/v1/diagnostics',
	summary: 'Get the status of database, storage, queue, mail and machines',
	description:
		'Returns 200 even if a part is down; the fields `ok` show which. With `bundle=1`, `bundle` contains what a mail to support needs: which variables are set, machines, and the newest problems. Secrets, addresses and names are redacted.',
	auth: 'superadmin',
	query: z.object({ bundle: z.literal('1').optional() }),
	response: data(Diagnostics),
})

export const Machine = z
	.object({
		id: MachineId,
		name: z.string(),
		state: z
			.enum(['online', 'draining', 'offline'])
			.meta({ description: '`offline` also if the machine sent nothing for 90 seconds' }),
		connected: z.boolean().nullable().meta({
			description: 'Whether the machine has a WebSocket open; otherwise it polls. null if unknown',
		}),
		capabilities: MachineCapabilities,
		paused: z.boolean().meta({ description: 'Whether the machine gets no new tasks until it is started' }),
		evicted: z
			.boolean()
			.meta({ description: 'Whether the machine may neither work nor register until it is readmitted' }),
		outdated: z.boolean().meta({
			description:
				'Whether the machine registered with an earlier `FLEET_TOKEN`. It may still work until `sign-off-outdated` is called',
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
		done1h: z.int().nonnegative().meta({ description: 'Tasks that the machine completed in the last hour' }),
		failures1h: z
			.int()
			.nonnegative()
			.meta({ description: 'Attempts at tasks that failed on the machine in the last hour' }),
		averageWorkSec1h: z.number().nonnegative().nullable().meta({
			description: 'Average seconds of work of the tasks counted by `done1h`; null if there are none',
		}),
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
			.meta({ description: 'Failures of the last 24 hours, newest first' }),
		speed: z.number().nonnegative().nullable().meta({
			description:
				'Seconds of video processed per second of work in the last 24 hours; null if the machine did nothing',
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
	summary: 'List transcoding machines, newest first',
	auth: 'superadmin',
	query: PageQuery,
	paged: true,
	response: dataPage(Machine),
})

const MachineParams = z.object({ machineId: MachineId })

export const pauseMachine = operation({
	id: 'pauseMachine',
	method: 'post',
	path: '/v1/diagnostics/workers/{machineId}/pause',
	summary: 'Pause a machine',
	description:
		'The machine finishes its current tasks and gets no new ones until it is started. Restarting the daemon does not end the pause.',
	auth: 'superadmin',
	audit: 'machine.paused',
	params: MachineParams,
	response: data(z.object({ id: MachineId, paused: z.literal(true) })),
	errors: ['not_found'],
})

export const setMachinePrice = operation({
	id: 'setMachinePrice',
	method: 'put',
	path: '/v1/diagnostics/workers/{machineId}/price',
	summary: 'Set what an hour of a machine costs',
	description:
		'In any currency, the same for all machines. Statistics then show the cost of a minute of video.',
	auth: 'superadmin',
	audit: 'machine.price_changed',
	params: MachineParams,
	body: z.object({ hourlyPrice: z.number().min(0).max(10_000).nullable() }),
	response: data(z.object({ id: MachineId, hourlyPrice: z.number().nullable() })),
})

export const startMachine = operation({
	id: 'startMachine',
	method: 'post',
	path: '/v1/diagnostics/workers/{machineId}/start',
	summary: 'Start a machine, or end its pause',
	description:
		'Ends the pause, if there is one, and wakes the machine through its WebSocket so that it claims a task at once. Without a WebSocket, a machine that was paused continues at its next poll. If the machine is off and registered a start hook, the hook is called. Returns 409 if none of this is possible; the message says what to do.',
	auth: 'superadmin',
	audit: 'machine.resumed',
	params: MachineParams,
	response: data(
		z.object({
			id: MachineId,
			woken: z.literal(true),
			by: z.enum(['socket', 'hook', 'poll']),
			resumed: z.boolean().meta({ description: 'Whether the machine was paused until now' }),
		}),
	),
	errors: ['not_found', 'conflict', 'not_configured'],
})

const tasksReturned = z.int().nonnegative().meta({ description: 'Running tasks that went back to the queue' })

export const evictMachine = operation({
	id: 'evictMachine',
	method: 'post',
	path: '/v1/diagnostics/workers/{machineId}/evict',
	summary: 'Evict a machine',
	description:
		'Revokes the token and the leases of the machine and closes its WebSocket. Its tasks go back to the queue, and this does not count as an attempt. Its later requests are rejected, and so is its registration until it is readmitted. Machines are recognized by their fingerprint. If somebody else has the registration token, change `FLEET_TOKEN` too and call `sign-off-outdated`. Presigned storage URLs of the machine work until they expire, but nothing reads what it uploads there.',
	auth: 'superadmin',
	audit: 'machine.evicted',
	params: MachineParams,
	response: data(z.object({ id: MachineId, evicted: z.literal(true), tasksReturned })),
	errors: ['not_found'],
})

export const readmitMachine = operation({
	id: 'readmitMachine',
	method: 'post',
	path: '/v1/diagnostics/workers/{machineId}/readmit',
	summary: 'Allow an evicted machine to register again',
	description:
		'If its daemon is still running, the machine registers again within a minute. Its old tokens stay revoked.',
	auth: 'superadmin',
	audit: 'machine.readmitted',
	params: MachineParams,
	response: data(z.object({ id: MachineId, evicted: z.literal(false) })),
	errors: ['not_found'],
})

export const signOffOutdatedMachines = operation({
	id: 'signOffOutdatedMachines',
	method: 'post',
	path: '/v1/diagnostics/workers/sign-off-outdated',
	summary: 'Sign off machines that registered with an earlier FLEET_TOKEN',
	description:
		"Ends tokens, leases and WebSockets, as an eviction does. Machines with the new token register again by themselves and continue; the others can't.",
	auth: 'superadmin',
	audit: 'machine.signed_off',
	response: data(z.object({ machines: z.int().nonnegative(), tasksReturned })),
})
