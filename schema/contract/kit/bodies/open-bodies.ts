import { isOfMachine } from '../machine-operations.ts'

const upgrade = 'during an upgrade, machines are newer or older than the edge'
const specification = 'clients of the community specification may send more than it names'
const browser = 'browsers write the credential, and add members to it over time'

type OpenBody = {
	/** The field that is open with everything in it; without it, the whole body is. */
	readonly field?: string
	readonly reason: string
}

/**
 * Operations whose body may have fields that the contract does not know, besides those of machines. They are ignored
 * there, and refused everywhere else: a caller who misspells a field must not believe that it had an effect. Operations with `takesBytes` read what
 * foreign programs send (Stripe, AI providers, browser reports), so they are open by nature.
 */
export const openBodies: Readonly<Record<string, OpenBody>> = {
	sendPlayerEvents: { reason: 'players of other versions, and other makers, report what they know' },
	startDeviceRequest: { reason: 'RFC 6749, section 3.2: unrecognized parameters must be ignored' },
	pollDeviceToken: { reason: 'RFC 6749, section 3.2: unrecognized parameters must be ignored' },

	createPasskey: { field: 'credential', reason: browser },
	signInWithPasskey: { field: 'passkey', reason: browser },
	reauthenticate: { field: 'passkey', reason: browser },

	createBookmark: { reason: specification },
	deleteBookmark: { reason: specification },
	followPost: { reason: specification },
	unfollowPost: { reason: specification },
	attendEvent: { reason: specification },
	leaveEvent: { reason: specification },
	react: { reason: specification },
	unreact: { reason: specification },
	joinSpace: { reason: specification },
	leaveSpace: { reason: specification },
	deactivateMember: { reason: specification },
}

/** The parts of an operation that matter here. Operations are made with this file, so it can't import their type. */
type Described = { id: string; auth: string; method: string; body?: unknown; takesBytes?: unknown }

/** Returns how the body of an operation is open, or undefined if it rejects all unknown fields. */
export const openBody = (op: Pick<Described, 'id' | 'auth'>): OpenBody | undefined =>
	isOfMachine(op) ? { reason: upgrade } : openBodies[op.id]

/** Whether an operation without a body rejects fields that a request sends all the same. */
export const rejectsFields = (op: Described): boolean =>
	!['get', 'head', 'options'].includes(op.method) && !op.body && !op.takesBytes && !openBody(op)
