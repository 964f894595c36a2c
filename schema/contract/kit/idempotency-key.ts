import type { Operation } from './operation.ts'

const proof = 'a replay would answer without checking the proof again'
const challenge = 'a challenge works once'
const machine = 'machines repeat requests by the epoch of their lease'

/** Operations that reject `Idempotency-Key`, with the reason. */
export const refusedIdempotencyKeys: Readonly<Record<string, string>> = {
	login: proof,
	verifyCode: proof,
	verifySecondFactor: proof,
	signInWithPasskey: proof,
	reauthenticate: proof,
	refreshToken: proof,
	refreshMemberToken: 'a refresh token works once',
	pollDeviceToken: 'a device code works once, and each answer is only true for its moment',
	createPasskeyOptions: challenge,
	createSignInOptions: challenge,
	beginUpload: 'the body is streamed; TUS resumes an upload by its URL',
	registerMachine: 'a machine registers again to get a new token',
	heartbeatMachine: machine,
	leaveMachine: machine,
	claimTask: machine,
	completeTask: machine,
	failTask: machine,
	heartbeatTask: machine,
	presignOutputs: machine,
	presignParts: machine,
	releaseTask: machine,
}

/** Operations whose repetitions are recognized without the header, which has no further effect. */
export const needlessIdempotencyKeys: Readonly<Record<string, string>> = {
	sendPlayerEvents: 'an event that arrives twice counts once',
	sendBrowserReports: 'a report is only logged',
	receiveBillingEvent: 'each id of an event counts once',
	receiveAiCallback: 'each `webhook-id` counts once',
	unsubscribe: 'an address is refused once',
}

/**
 * What an operation does with `Idempotency-Key`. Each POST keeps its response for repetitions unless a list above names it.
 * Other methods need no key: repeating them changes nothing more.
 */
export function idempotencyKeyUse({ id, method }: Operation): 'kept' | 'refused' | 'needless' {
	if (id in refusedIdempotencyKeys) return 'refused'
	return method === 'post' && !(id in needlessIdempotencyKeys) ? 'kept' : 'needless'
}

export const keepsResponses = (op: Operation): boolean => idempotencyKeyUse(op) === 'kept'

/** Describes the exceptions, for the OpenAPI document. */
export function describeIdempotencyKey({ id }: Operation): string {
	const refused = refusedIdempotencyKeys[id]
	if (refused) return `Rejects \`Idempotency-Key\`: ${refused}.`
	const needless = needlessIdempotencyKeys[id]
	return needless ? `\`Idempotency-Key\` has no effect: ${needless}.` : ''
}
