import { isMachineOperation } from '../machine-operations.ts'

/**
 * Why a body may have fields that the contract does not know. They are ignored there, and refused everywhere else: a
 * caller who misspells a field must not believe that it had an effect. Operations with `takesBytes` read what foreign
 * programs send (Stripe, AI providers, browser reports), so they are open by nature.
 */
export type OpenBody = {
	/** The field that is open with everything in it; without it, the whole body is. */
	readonly field?: string
	readonly reason: string
}

export const openBySpecification: OpenBody = {
	reason: 'clients of the community specification may send more than it names',
}
export const openByRfc6749: OpenBody = {
	reason: 'RFC 6749, section 3.2: unrecognized parameters must be ignored',
}
export const openToBrowsers = (field: string): OpenBody => ({
	field,
	reason: 'browsers write the credential, and add members to it over time',
})
const openToMachines: OpenBody = { reason: 'during an upgrade, machines are newer or older than the edge' }

/** The parts of an operation that matter here. Operations are made with this file, so it can't import their type. */
type Described = { auth: string; method: string; body?: unknown; openBody?: OpenBody; takesBytes?: unknown }

/** Returns how the body of an operation is open, or undefined if it rejects all unknown fields. */
export const findOpenBody = (op: Pick<Described, 'auth' | 'openBody'>): OpenBody | undefined =>
	isMachineOperation(op) ? openToMachines : op.openBody

/** Whether an operation without a body rejects fields that a request sends all the same. */
export const rejectsFields = (op: Described): boolean =>
	!['get', 'head', 'options'].includes(op.method) && !op.body && !op.takesBytes && !findOpenBody(op)
