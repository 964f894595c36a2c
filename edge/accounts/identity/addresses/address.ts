import type { SignedIn, User } from '#schema/contract/accounts/identity.ts'
import type { Person } from '../../../http/caller.ts'
import { AppError } from '../../../http/errors.ts'
import { hasRecentProof, requireRecentSecondFactor } from '../../../http/recent-proof.ts'
import { isUniqueViolation } from '../../../platform/database/unique-violation.ts'
import type { Deps } from '../../../platform/deps.ts'
import { toCallerNetwork } from '../../../platform/network/network.ts'
import { isAllowedDomain } from '../../../platform/registration.ts'
import { attemptCounter } from '../../attempts/attempt-counter.ts'
import { addressCodeByUser, codeByIp, passwordByUser } from '../attempt-rules.ts'
import { credentialStore } from '../credential-store.ts'
import { viewCurrentSession } from '../identity.ts'
import { issueToken } from '../sign-in.ts'
import { requireSigning } from '../signing.ts'
import { identityStore, type UserRow } from '../store.ts'
import { toPerson, viewUser } from '../view.ts'
import { type AddressProof, consumeAddressCodes, sendAddressCode, sendVerification } from './address-codes.ts'

const counterOf = (deps: Deps) => attemptCounter(deps.db, requireSigning(deps).secrets, deps.now)
const isVerifiedError = () => new AppError('conflict', 'this email address is already verified')
const changedMeanwhileError = () => new AppError('conflict', 'the account has changed; start again')

async function findAccount(deps: Deps, person: Person): Promise<UserRow> {
	const user = await identityStore(deps.db).findUser(person.userId)
	if (!user) throw new AppError('unauthorized', 'the session has ended; sign in again')
	return user
}

export async function resendVerification(deps: Deps, person: Person, ip: string): Promise<void> {
	if (person.emailVerified) throw isVerifiedError()
	await counterOf(deps).count([{ rule: codeByIp, subject: toCallerNetwork(ip) }])
	await sendVerification(deps, { id: person.userId, email: person.email })
}

export async function verifyEmail(deps: Deps, person: Person, code: string): Promise<User> {
	if (person.emailVerified) throw isVerifiedError()
	const { userId, email } = person
	await counterOf(deps).count([{ rule: addressCodeByUser, subject: String(userId) }])
	await consumeAddressCodes(deps, [{ proof: { purpose: 'verify', userId, email }, code }])
	if (!(await credentialStore(deps.db).verifyEmail(userId, email, deps.now))) throw changedMeanwhileError()
	return viewUser({ ...person, id: userId, emailVerified: true })
}

/** Throws unless the person proved their identity recently or sent the right password, since a session may be stolen. */
async function requireFreshProof(
	deps: Deps,
	person: Person,
	user: UserRow,
	currentPassword: string | undefined,
): Promise<void> {
	requireRecentSecondFactor(person, deps.now)
	if (person.provedByCode && hasRecentProof(person, deps.now)) return
	if (user.passwordHash === null)
		throw new AppError('forbidden', 'sign in with a code, then ask again within 10 minutes')
	if (currentPassword === undefined) throw new AppError('validation', 'currentPassword: is missing')
	const counter = counterOf(deps)
	const mine = { rule: passwordByUser, subject: String(user.id) }
	await counter.count([mine])
	if (!(await deps.passwords.verify(currentPassword, user.passwordHash)).ok)
		throw new AppError('forbidden', 'the current password is wrong')
	deps.defer(counter.forgive([mine]))
}

/** The current address must confirm the change only if it was ever verified. */
const proofsOf = (user: UserRow, newEmail: string): { to: AddressProof; from: AddressProof | null } => {
	const change = { userId: user.id, newEmail }
	return {
		to: { ...change, purpose: 'change-to', email: newEmail },
		from: user.emailVerifiedAt === null ? null : { ...change, purpose: 'change-from', email: user.email },
	}
}

/** Doesn't reveal whether the new address is taken: its owner gets a notice instead of a code. */
export async function requestEmailChange(
	deps: Deps,
	person: Person,
	input: { newEmail: string; currentPassword?: string | undefined },
	ip: string,
): Promise<void> {
	const { newEmail } = input
	const user = await findAccount(deps, person)
	if (newEmail === user.email)
		throw new AppError('validation', 'newEmail: must differ from the address of this account')
	if (!isAllowedDomain(deps.env.vars, newEmail))
		throw new AppError(
			'registration_closed',
			'this installation does not accept addresses of this domain; use another one',
		)
	await requireFreshProof(deps, person, user, input.currentPassword)
	await counterOf(deps).count([{ rule: codeByIp, subject: toCallerNetwork(ip) }])
	const { to, from } = proofsOf(user, newEmail)
	await sendAddressCode(deps, to)
	if (from) await sendAddressCode(deps, from)
}

export async function confirmEmailChange(
	deps: Deps,
	person: Person,
	input: { newEmail: string; newCode: string; currentCode?: string | undefined },
): Promise<SignedIn> {
	const { newEmail, newCode, currentCode } = input
	const user = await findAccount(deps, person)
	await counterOf(deps).count([{ rule: addressCodeByUser, subject: String(user.id) }])
	const { to, from } = proofsOf(user, newEmail)
	if (from && currentCode === undefined) throw new AppError('validation', 'currentCode: is missing')
	await consumeAddressCodes(deps, [
		...(from ? [{ proof: from, code: currentCode ?? '' }] : []),
		{ proof: to, code: newCode },
	])
	try {
		const moved = await credentialStore(deps.db).changeEmail(deps.work, user, newEmail, person.sessionId)
		if (!moved) throw changedMeanwhileError()
	} catch (error) {
		if (isUniqueViolation(error))
			throw new AppError('conflict', 'an account with this email address already exists')
		throw error
	}
	deps.defer(deps.contributions.communities.closeStreams(deps, user.id))
	return issueToken(
		deps,
		{ ...toPerson(user), email: newEmail, emailVerified: true, tokenVersion: user.tokenVersion + 1 },
		viewCurrentSession(person),
		person.role ? person.org : null,
	)
}
