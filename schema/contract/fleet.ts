import { z } from 'zod'
import { data, MachineId, Timestamp } from './fields.ts'
import { operation } from './operation.ts'
import { EncoderName } from './tasks.ts'

const tag = 'Machines'

/** What daemon and edge must agree on beyond the fields; raised when an older daemon could not work any more. */
export const FLEET_PROTOCOL = 1

export const MachineKind = z.enum(['cpu', 'nvidia', 'vaapi', 'qsv', 'videotoolbox'])
export type MachineKind = z.infer<typeof MachineKind>

/** What a machine is able to do, as it found by trying. */
export const MachineCapabilities = z.object({
	kind: MachineKind,
	cores: z.int().min(1).max(4_096),
	memoryBytes: z.int().nonnegative(),
	ffmpegVersion: z.string().min(1).max(200),
	encoders: z.array(EncoderName).max(64).meta({
		description: 'Encoders that encoded a trial picture at start; a listed one that did not is not here',
	}),
	decoders: z
		.array(z.enum(['cuda', 'vaapi', 'qsv', 'videotoolbox']))
		.max(8)
		.optional()
		.meta({ description: 'Ways of decoding on hardware that decoded a trial picture at start' }),
	slots: z
		.int()
		.min(1)
		.max(256)
		.meta({ description: 'How many chunks of video it encodes at once; one other task comes beside them' }),
})
export type MachineCapabilities = z.infer<typeof MachineCapabilities>

const MachineToken = z
	.string()
	.meta({ description: 'Machine JWT, valid 24 h; a heartbeat renews it, registering again ends it' })

/** Where somebody listens who can switch the machine on. */
const StartHook = z
	.url({ protocol: /^https$/ })
	.max(2_048)
	.meta({
		description:
			'Called with a POST when somebody wants the machine started and it is off: `{"type":"machine.start","data":{"id","name"}}`, with the headers of Standard Webhooks, signed with the registration token',
	})

export const registerMachine = operation({
	id: 'registerMachine',
	method: 'post',
	path: '/v1/diagnostics/workers',
	tag,
	summary: 'Register a transcoding machine with the registration token of the fleet',
	description:
		'A machine is known by its fingerprint, a UUID that it keeps on its disk: registering again keeps the id and ends the token given out before. 403 for a machine that was evicted.',
	auth: 'registration',
	shield: 'credentials',
	body: MachineCapabilities.extend({
		fingerprint: z.uuid().toLowerCase(),
		name: z.string().trim().min(1).max(100),
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
	tag,
	summary: 'Tell that a machine is alive, and what it is at',
	auth: 'machine',
	body: z.object({
		state: z.enum(['online', 'draining']),
		running: z.int().min(0).max(256).meta({ description: 'Tasks it is at' }),
		load: z.number().min(0).max(100_000).meta({ description: 'Load average of one minute' }),
	}),
	status: 200,
	response: data(
		z.object({
			ok: z.literal(true),
			now: Timestamp,
			token: MachineToken.optional().meta({
				description: 'Only near the end of the old one, which works until then',
			}),
		}),
	),
	errors: ['unauthorized'],
})

export const leaveMachine = operation({
	id: 'leaveMachine',
	method: 'post',
	path: '/v1/diagnostics/workers/leave',
	tag,
	summary: 'Sign a machine off; its token ends',
	auth: 'machine',
	status: 200,
	response: data(z.object({ id: MachineId, left: z.literal(true) })),
	errors: ['unauthorized'],
})

export const connectMachine = operation({
	id: 'connectMachine',
	method: 'get',
	path: '/v1/diagnostics/workers/connect',
	tag,
	summary: 'Hold a WebSocket on which the edge wakes a machine',
	description:
		'Answers 101. The edge sends `{"type":"wake"}`; the machine may send the text `ping`, answered `pong`, and nothing else. A second socket of the same machine closes the first with code 4000.',
	auth: 'machine',
	status: 101,
	errors: ['unauthorized', 'validation', 'not_configured'],
})

/** What comes down the socket. A type that a daemon does not know is from a newer edge: it is passed over. */
export const FleetMessage = z.discriminatedUnion('type', [z.object({ type: z.literal('wake') })])
export type FleetMessage = z.infer<typeof FleetMessage>

/** Kept short and exact: the edge answers it without waking its object. */
export const SOCKET_PING = 'ping'
export const SOCKET_PONG = 'pong'
/** Close code (RFC 6455): the machine was evicted, or says what no machine says. */
export const SOCKET_NOT_ALLOWED = 1008
/** Close code: another socket of the same machine took this one's place. */
export const SOCKET_REPLACED = 4000
