import { AppError, tooManyRequestsError } from '../../../http/errors.ts'
import { newId, randomCode } from '../../../platform/database/ids.ts'
import type { Deps } from '../../../platform/deps.ts'
import { CODE_LIFE_MS } from '../codes/code-store.ts'
import { requireSigning } from '../signing.ts'
import { addressCodeStore } from './address-code-store.ts'

/** The requesting user, the address that gets the code and, for a change, the new address. */
export type AddressProof = { userId: number; email: string } & (
	| { purpose: 'verify' }
	| { purpose: 'change-from' | 'change-to'; newEmail: string }
)

const newEmailOf = (proof: AddressProof): string | undefined =>
	proof.purpose === 'verify' ? undefined : proof.newEmail

/** Binds the hash to everything the code confirms, so the same digits prove nothing else. */
const hashedText = (proof: AddressProof, id: string, code: string): string =>
	JSON.stringify([id, proof.purpose, proof.userId, proof.email, newEmailOf(proof) ?? null, code])

/**
 * Sends a code rather than a link: whoever reads the mail must type it into the session that requested it. With a link,
 * the reader of the mail could confirm an account that somebody else created.
 */
export async function sendAddressCode(deps: Deps, proof: AddressProof): Promise<void> {
	const { userId, email, purpose } = proof
	const codes = addressCodeStore(deps.db)
	const id = newId('otp', deps.now)
	const code = randomCode()
	const codeHash = await requireSigning(deps).secrets.hmac('one-time-code', hashedText(proof, id, code))
	const expiresAt = deps.now + CODE_LIFE_MS
	if (!(await codes.issue({ id, userId, purpose, email, codeHash, createdAt: deps.now, expiresAt })))
		throw tooManyRequestsError(
			((await codes.nextSendAt(proof, deps.now)) - deps.now) / 1000,
			'a code was already sent; check your email or try again later',
		)
	const newEmail = newEmailOf(proof)
	const message = { id, email, code, purpose, expiresAt } as const
	await deps.send({ type: 'code.send', ...message, ...(newEmail !== undefined && { newEmail }) })
}

export const sendVerification = (deps: Deps, user: { id: number; email: string }): Promise<void> =>
	sendAddressCode(deps, { purpose: 'verify', userId: user.id, email: user.email })

/** Counts an attempt at each code. Consumes the codes only if all are right, so a wrong one doesn't use up the others. */
export async function consumeAddressCodes(
	deps: Deps,
	shown: readonly { proof: AddressProof; code: string }[],
): Promise<void> {
	const codes = addressCodeStore(deps.db)
	const right: { proof: AddressProof; id: string }[] = []
	for (const { proof, code } of shown) {
		const row = await codes.spendTry(proof, deps.now)
		const text = hashedText(proof, row?.id ?? '', code)
		const isRight = await requireSigning(deps).secrets.matches('one-time-code', text, row?.codeHash ?? '')
		if (!row || !isRight) throw wrongCodeError(proof.purpose)
		right.push({ proof, id: row.id })
	}
	for (const { proof, id } of right)
		if (!(await codes.consume(id, deps.now))) throw wrongCodeError(proof.purpose)
}

const sentTo: Record<AddressProof['purpose'], string> = {
	verify: 'this address',
	'change-from': 'the current address',
	'change-to': 'the new address',
}
const wrongCodeError = (purpose: AddressProof['purpose']) =>
	new AppError(
		'forbidden',
		`the code sent to ${sentTo[purpose]} is wrong or no longer valid; ask for a new one`,
	)
