import { isOfMachine } from './machine-operations.ts'
import type { Operation } from './operation.ts'

const proof = 'a replay would answer without checking the proof again'
const challenge = 'a challenge works once'
const machine = 'machines repeat requests by the epoch of their lease'

/**
 * Operations that run each time, whatever `Idempotency-Key` says, besides those of machines, with the reason. They accept
 * the header, because libraries add it to every POST.
 */
export const unkeptResponses: Readonly<Record<string, string>> = {
	login: proof,
	verifyCode: proof,
	verifySignupCode: proof,
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
}

/** Operations whose repetitions are recognized without the header, which has no further effect. */
export const needlessIdempotencyKeys: Readonly<Record<string, string>> = {
	sendPlayerEvents: 'an event that arrives twice counts once',
	sendBrowserReports: 'a report is only logged',
	receiveBillingEvent: 'each id of an event counts once',
	receiveAiCallback: 'each `webhook-id` counts once',
	unsubscribe: 'an address is refused once',
}

/** Returns why an operation keeps no response for `Idempotency-Key`, or undefined if it is no such exception. */
export const reasonNotKept = (op: Operation): string | undefined =>
	unkeptResponses[op.id] ?? (op.method === 'post' && isOfMachine(op) ? machine : undefined)

/**
 * What an operation does with `Idempotency-Key`. Each POST keeps its response for repetitions unless it is an exception above.
 * Other methods need no key: repeating them changes nothing more.
 */
export function idempotencyKeyUse(op: Operation): 'kept' | 'unkept' | 'needless' {
	if (reasonNotKept(op)) return 'unkept'
	return op.method === 'post' && !(op.id in needlessIdempotencyKeys) ? 'kept' : 'needless'
}

export const keepsResponses = (op: Operation): boolean => idempotencyKeyUse(op) === 'kept'

/** Describes the exceptions, for the OpenAPI document. */
export function describeIdempotencyKey(op: Operation): string {
	const reason = reasonNotKept(op)
	if (reason) return `Keeps no response for \`Idempotency-Key\` and runs again: ${reason}.`
	const needless = needlessIdempotencyKeys[op.id]
	return needless ? `\`Idempotency-Key\` has no effect: ${needless}.` : ''
}
