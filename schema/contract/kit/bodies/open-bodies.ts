const upgrade = 'during an upgrade, machines are newer or older than the edge'
const specification = 'clients of the community specification may send more than it names'
const browser = 'browsers write the credential, and add members to it over time'

type OpenBody = {
	/** The field that is open with everything in it; without it, the whole body is. */
	readonly field?: string
	readonly reason: string
}

/**
 * Operations whose body may have fields that the contract does not know. They are ignored there, and refused everywhere
 * else: a caller who misspells a field must not believe that it had an effect. Operations with `takesBytes` read what
 * foreign programs send (Stripe, AI providers, browser reports), so they are open by nature.
 */
export const openBodies: Readonly<Record<string, OpenBody>> = {
	sendPlayerEvents: { reason: 'players of other versions, and other makers, report what they know' },
	startDeviceRequest: { reason: 'RFC 6749, section 3.2: unrecognized parameters must be ignored' },
	pollDeviceToken: { reason: 'RFC 6749, section 3.2: unrecognized parameters must be ignored' },

	createPasskey: { field: 'credential', reason: browser },
	signInWithPasskey: { field: 'passkey', reason: browser },
	reauthenticate: { field: 'passkey', reason: browser },

	registerMachine: { reason: upgrade },
	heartbeatMachine: { reason: upgrade },
	leaveMachine: { reason: upgrade },
	claimTask: { reason: upgrade },
	completeTask: { reason: upgrade },
	failTask: { reason: upgrade },
	heartbeatTask: { reason: upgrade },
	presignOutputs: { reason: upgrade },
	presignParts: { reason: upgrade },
	releaseTask: { reason: upgrade },

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
type Described = { id: string; method: string; body?: unknown; takesBytes?: unknown }

/** Whether an operation without a body rejects fields that a request sends all the same. */
export const rejectsFields = ({ id, method, body, takesBytes }: Described): boolean =>
	!['get', 'head', 'options'].includes(method) && !body && !takesBytes && !openBodies[id]
