import { AppError } from '../../../http/errors.ts'
import { MINUTE } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { type FirstFactor, secondFactorTicket } from '../../../platform/tokens/tokens.ts'
import { requireSigning } from '../signing.ts'
import type { UserRow } from '../store.ts'

const TICKET_LIFE_MS = 5 * MINUTE

/** Returns the error that ends the first step of a sign-in, with a ticket that opens no session by itself. */
export async function secondFactorRequiredError(
	deps: Deps,
	{ id, tokenVersion }: Pick<UserRow, 'id' | 'tokenVersion'>,
	by: FirstFactor,
): Promise<AppError> {
	const claims = { typ: 'second-factor', sub: String(id), tv: tokenVersion, by }
	const { tokens } = requireSigning(deps)
	const ticket = await tokens.sign(secondFactorTicket, claims, deps.now, deps.now + TICKET_LIFE_MS)
	return new AppError(
		'second_factor_required',
		'this account has a second factor; send the ticket from X-Second-Factor-Ticket with a code to /v1/auth/second-factor/verify, or sign in with a passkey',
		{ headers: { 'x-second-factor-ticket': ticket } },
	)
}
