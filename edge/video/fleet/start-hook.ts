import { AppError } from '../../http/errors.ts'
import { SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { findOutboundUrlProblem } from '../../platform/network/outbound-url.ts'
import { signHeaders } from '../../platform/tokens/standard-webhooks.ts'

const TIMEOUT_MS = 10 * SECOND

/**
 * Calls the start hook of a machine that is off. The request is signed as a webhook (standardwebhooks.com) with
 * FLEET_TOKEN, which the machine's operator already has.
 */
export async function callStartHook(
	deps: Deps,
	machine: { id: string; name: string; startHook: string },
): Promise<void> {
	const secret = deps.env.vars.FLEET_TOKEN
	if (!secret) throw new AppError('not_configured', 'start hooks are not set up: FLEET_TOKEN is missing')
	// The URL is checked again: the configuration may have changed since the machine registered.
	const problem = findOutboundUrlProblem(deps, machine.startHook)
	if (problem) throw new AppError('conflict', `the start hook ${problem}; start the machine by hand`)
	const body = JSON.stringify({
		type: 'machine.start',
		timestamp: new Date(deps.now).toISOString(),
		data: { id: machine.id, name: machine.name },
	})
	const id = `msg_${crypto.randomUUID()}`
	const headers = await signHeaders([new TextEncoder().encode(secret)], { id, body, now: deps.now })
	let status: number
	try {
		const response = await deps.fetchPublic(machine.startHook, {
			method: 'POST',
			body,
			redirect: 'manual',
			signal: AbortSignal.timeout(TIMEOUT_MS),
			headers: { 'content-type': 'application/json', ...headers },
		})
		status = response.status
		await response.body?.cancel()
	} catch (error) {
		deps.log.error('calling the start hook failed', error, { machineId: machine.id })
		throw new AppError(
			'conflict',
			'the machine is offline and its start hook does not respond; start it by hand',
		)
	}
	if (status < 200 || status > 299)
		throw new AppError(
			'conflict',
			`the machine is offline and its start hook returned ${status}; start it by hand`,
		)
}
