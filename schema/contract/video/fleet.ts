import { z } from 'zod'
import { data, Line, MachineId, Timestamp } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'
import { EncoderName, SpeechEngineName, SpokenLanguage } from './tasks.ts'

const operation = describeOperations('Machines')

/** The version of everything that daemon and edge agree on beyond the fields. Raising it rejects older daemons. */
export const FLEET_PROTOCOL = 1

export const MachineKind = z.enum(['cpu', 'nvidia', 'vaapi', 'qsv', 'videotoolbox'])
export type MachineKind = z.infer<typeof MachineKind>

/** The capabilities of a machine, proved by trial runs at its startup. */
export const MachineCapabilities = z.object({
	kind: MachineKind,
	cores: z.int().min(1).max(4_096),
	memoryBytes: z.int().nonnegative(),
	ffmpegVersion: Line.min(1).max(200),
	encoders: z.array(EncoderName).max(64).meta({
		description: 'Encoders that encoded a test frame at startup',
	}),
	decoders: z
		.array(z.enum(['cuda', 'vaapi', 'qsv', 'videotoolbox']))
		.max(8)
		.optional()
		.meta({ description: 'Hardware decoders that decoded a test frame at startup' }),
	speech: z
		.object({
			engine: SpeechEngineName,
			languages: z
				.array(SpokenLanguage.or(z.literal('*')))
				.min(1)
				.max(200)
				.meta({ description: '`*` stands for every language, and for finding out which one is spoken' }),
			realTimeFactor: z.number().nonnegative().meta({
				description: 'Seconds of work for a second of speech, measured at startup',
			}),
		})
		.nullable()
		.optional()
		.meta({ description: 'The speech engine, if it recognized a trial sentence at startup' }),
	slots: z.int().min(1).max(256).meta({
		description: 'How many video chunks the machine encodes at once; one other task may run beside them',
	}),
})
export type MachineCapabilities = z.infer<typeof MachineCapabilities>

const MachineToken = z.string().meta({
	description: 'Machine JWT, valid for 24 hours; heartbeats renew it, and registering again revokes it',
})

/** The URL of a service that can switch the machine on. */
const StartHook = z
	.url({ protocol: /^https$/ })
	.max(2_048)
	.meta({
		description:
			'The edge calls this URL to start the machine when it is off. It sends a POST with `{"type":"machine.start","data":{"id","name"}}` and the headers of Standard Webhooks, signed with the registration token',
	})

export const registerMachine = operation({
	id: 'registerMachine',
	method: 'post',
	path: '/v1/diagnostics/workers',
	summary: 'Register a transcoding machine',
	description:
		'A machine is recognized by its fingerprint, a UUID that it keeps on disk. Registering again keeps the id and revokes the previous token. Returns 403 for an evicted machine.',
	auth: 'registration',
	audit: 'machine.registered',
	idempotencyKey: { unkept: 'a machine registers again to get a new token' },
	shield: 'credentials',
	body: MachineCapabilities.extend({
		fingerprint: z.uuid().toLowerCase(),
		name: Line.min(1).max(100),
		protocol: z.literal(FLEET_PROTOCOL),
		startHook: StartHook.optional(),
	}),
	status: 201,
	response: data(
		z
			.object({
				id: MachineId,
				token: MachineToken,
				expiresAt: Timestamp,
				heartbeatSeconds: z.int().positive(),
			})
			.meta({ id: 'RegisteredMachine' }),
	),
	errors: ['validation', 'unauthorized', 'forbidden', 'not_configured'],
})

export const heartbeatMachine = operation({
	id: 'heartbeatMachine',
	method: 'post',
	path: '/v1/diagnostics/workers/heartbeat',
	summary: 'Report that a machine is alive, with its load',
	auth: 'machine',
	audit: 'none: work',
	body: z.object({
		state: z.enum(['online', 'draining']),
		running: z.int().min(0).max(256).meta({ description: 'Number of running tasks' }),
		load: z.number().min(0).max(100_000).meta({ description: 'Load average over one minute' }),
	}),
	response: data(
		z.object({
			ok: z.literal(true),
			now: Timestamp,
			token: MachineToken.optional().meta({
				description: 'A new token, present shortly before the old one expires; the old one works until then',
			}),
		}),
	),
	errors: ['unauthorized'],
})

export const leaveMachine = operation({
	id: 'leaveMachine',
	method: 'post',
	path: '/v1/diagnostics/workers/leave',
	summary: 'Sign a machine off and revoke its token',
	auth: 'machine',
	audit: 'none: work',
	response: data(z.object({ id: MachineId, left: z.literal(true) })),
	errors: ['unauthorized'],
})

export const connectMachine = operation({
	id: 'connectMachine',
	method: 'get',
	path: '/v1/diagnostics/workers/connect',
	summary: 'Open the WebSocket on which the edge wakes a machine',
	description:
		'The edge sends `{"type":"wake"}` when the machine should claim a task. The machine may send only the text `ping`, to which the edge replies `pong`. A second WebSocket of the same machine closes the first with code 4000.',
	auth: 'machine',
	status: 101,
	errors: ['unauthorized', 'validation', 'not_configured'],
})

/** A message on the WebSocket of a machine. Daemons ignore unknown types, which a newer edge may send. */
export const FleetMessage = z.discriminatedUnion('type', [z.object({ type: z.literal('wake') })])
export type FleetMessage = z.infer<typeof FleetMessage>

/** The edge replies to exactly this text without waking its Durable Object. */
export const SOCKET_PING = 'ping'
export const SOCKET_PONG = 'pong'
/** Close code (RFC 6455): the machine was evicted or sent an invalid message. */
export const SOCKET_NOT_ALLOWED = 1008
/** Close code: another WebSocket of the same machine replaced this one. */
export const SOCKET_REPLACED = 4000
